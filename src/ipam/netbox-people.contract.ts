/** What people write on records in Netbox, and what becomes of it: run on the emulation and on a real one. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ipOf } from '../model/ip.ts';
import type { Order } from './address-source.ts';
import type { Fields } from './netbox-api.ts';
import { fieldsOf } from './netbox-api.ts';
import type { NetboxSource } from './netbox-source.ts';

/** A Netbox with the prefix 198.51.100.232/29 and nothing in it. */
export interface PeoplesNetbox {
  readonly tenant: string;
  /** Of the group `lb`; with `{ prefixes: [] }` reserved addresses are used. */
  source(more?: object): NetboxSource;
  admin(method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, body?: Fields): Promise<Fields>;
  close(): Promise<void>;
}

const never = new AbortController().signal;
const wish = ipOf('198.51.100.235');
export const order: Order = {
  pool: 'lb',
  owner: 'uid-1',
  family: 'ipv4',
  service: 'shop/web',
  sharingKey: undefined,
  wish: undefined,
};

async function findOnly(netbox: PeoplesNetbox): Promise<Fields> {
  const { results } = await netbox.admin('GET', `ipam/ip-addresses/?tenant=${netbox.tenant}`);
  assert.ok(Array.isArray(results) && results.length === 1, JSON.stringify(results));
  return fieldsOf(results[0]);
}

/** `status description | comments | slot`. */
function summary(record: Fields): string {
  const { status, description, comments, custom_fields: custom } = record;
  const { purelb_slot: slot } = fieldsOf(custom);
  const texts = [fieldsOf(status)['value'], description, comments, slot ?? '-'].map(String);
  return texts.join(' | ').replaceAll('\n', ' / ');
}

async function reserve(netbox: PeoplesNetbox): Promise<void> {
  await netbox.admin('POST', 'ipam/ip-addresses/', {
    address: `${wish}/29`,
    status: 'reserved',
    tenant: { slug: netbox.tenant },
    description: 'for the shop, ask Ann',
    comments: 'ticket 4711',
  });
}

async function take(source: NetboxSource, more: Partial<Order> = {}): Promise<void> {
  const outcome = await source.allocate({ ...order, ...more }, never);
  assert.ok(outcome.kind === 'address' && outcome.address.ip === wish, JSON.stringify(outcome));
}

async function remarks(source: NetboxSource): Promise<string> {
  const outcome = await source.list(never);
  assert.ok(outcome.kind === 'records', JSON.stringify(outcome));
  return (outcome.remarks ?? []).join('; ');
}

export function testPeoplesNetbox(name: string, open: () => Promise<PeoplesNetbox>): void {
  const check = (sentence: string, run: (netbox: PeoplesNetbox) => Promise<void>) => {
    test(`${name}: ${sentence}`, async () => {
      const netbox = await open();
      try {
        await run(netbox);
      } finally {
        await netbox.close();
      }
    });
  };

  check('what people wrote on a reserved address stays there while it is used', async (netbox) => {
    for (const [more, asked] of [
      [{}, { wish }],
      [{ prefixes: [] }, {}],
    ] as const) {
      await reserve(netbox);
      const source = netbox.source(more);
      await take(source, asked);
      const used = summary(await findOnly(netbox));
      assert.match(
        used,
        /^active \| for the shop, ask Ann \| ticket 4711 \/ purelb \S+ shop\/web \(was reserved\) \| /,
      );
      await source.release(order, never);
      const record = await findOnly(netbox);
      assert.equal(summary(record), 'reserved | for the shop, ask Ann | ticket 4711 | -');
      await netbox.admin('DELETE', `ipam/ip-addresses/${String(record['id'])}/`);
      source.close();
    }
  });

  check('a record that lost its slot gets it back, and is told until then', async (netbox) => {
    const source = netbox.source();
    await take(source, { wish });
    const before = await findOnly(netbox);
    for (const lost of [['purelb_slot', 'purelb_cluster'], ['purelb_cluster']]) {
      const fields = Object.fromEntries(lost.map((field) => [field, null]));
      const path = `ipam/ip-addresses/${String(before['id'])}/`;
      await netbox.admin('PATCH', path, { custom_fields: fields });
      if (lost.length > 1) assert.match(await remarks(source), /has lost its purelb_slot/);
      // As the allocator does for an address that a Service holds and that is not listed.
      await take(source, { wish });
      const after = await findOnly(netbox);
      assert.deepEqual(
        [after['id'], after['custom_fields']],
        [before['id'], before['custom_fields']],
      );
    }
    assert.equal(await remarks(source), '');
    source.close();
  });

  check('a record whose status was changed is told', async (netbox) => {
    const source = netbox.source();
    await take(source, { wish });
    const { id } = await findOnly(netbox);
    await netbox.admin('PATCH', `ipam/ip-addresses/${String(id)}/`, { status: 'deprecated' });
    assert.match(await remarks(source), /^198\.51\.100\.235 has the status deprecated in Netbox/);
    source.close();
  });

  check('a release that is overtaken by an edit looks again, and then is done', async (netbox) => {
    const source = netbox.source();
    await take(source, { wish });
    const { id } = await findOnly(netbox);
    await netbox.admin('PATCH', `ipam/ip-addresses/${String(id)}/`, { comments: 'seen by Ann' });
    assert.deepEqual(await source.release(order, never), { kind: 'released' });
    const { count } = await netbox.admin('GET', `ipam/ip-addresses/?tenant=${netbox.tenant}`);
    assert.equal(count, 0);
    source.close();
  });
}
