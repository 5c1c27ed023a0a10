/** With the custom fields of the guide, without them, with them later, and where the token cannot tell. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '../runtime/manual-clock.ts';
import type { AllocateOutcome, Order } from './address-source.ts';
import { NetboxRoom, type NetboxRoomOptions, never } from './netbox-room.fixture.ts';
import type { NetboxSource } from './netbox-source.ts';

const prefixes = ['198.51.100.0/28'];

function orderOf(owner: string, more: Partial<Order> = {}): Order {
  const service = `shop/${owner}`;
  const family = 'ipv4';
  return { pool: 'lb', owner, family, service, sharingKey: undefined, wish: undefined, ...more };
}

/** Time passes until it is done. */
async function allocate(room: NetboxRoom, source: NetboxSource, owner: string) {
  let outcome: AllocateOutcome | undefined;
  const asking = source.allocate(orderOf(owner), never).then((done) => {
    outcome = done;
  });
  while (outcome === undefined) await (room.clock as ManualClock).advance(100);
  await asking;
  return outcome.kind === 'address' ? outcome.address.ip : `${outcome.reason}: ${outcome.message}`;
}

function open(options: NetboxRoomOptions): NetboxRoom {
  return new NetboxRoom({ prefixes, clock: new ManualClock(), ...options });
}

async function warningsOf(source: NetboxSource): Promise<string> {
  const outcome = await source.check(never);
  assert.ok(outcome.kind === 'ready', JSON.stringify(outcome));
  return outcome.warnings.join('; ');
}

for (const version of ['4.6.8', '4.2.9'] as const) {
  for (const seesFields of [true, false]) {
    const sees = seesFields ? 'sees' : 'does not see';
    test(`Netbox ${version} without fields or records, and a token that ${sees} fields: descriptions are used`, async () => {
      const room = open({ hasFields: false, seesFields, version });
      const { source } = room.open();
      await source.check(never);
      const first = await allocate(room, source, 'a');
      assert.equal(first, '198.51.100.0');
      const [row] = room.netbox.tables.all('ipam/ip-addresses');
      assert.equal(row?.fields['description'], 'purelb cluster-uid/lb/a/4');
      assert.equal(await allocate(room, room.open().source, 'a'), first, 'another one finds it');
      assert.match(
        await warningsOf(source),
        /^custom field purelb_slot and purelb_cluster is missing/,
      );
    });
  }
}

function makeFields(room: NetboxRoom): void {
  const field = { type: 'text', object_types: ['ipam.ipaddress'], filter_logic: 'exact' };
  room.admin('POST', 'extras/custom-fields/', { ...field, name: 'purelb_slot', unique: true });
  room.admin('POST', 'extras/custom-fields/', { ...field, name: 'purelb_cluster' });
}

test('fields that are made later: records from before are found, given the fields, and released', async () => {
  const room = open({ hasFields: false });
  const { source, transport } = room.open();
  const before = [await allocate(room, source, 'a'), await allocate(room, source, 'b')];
  makeFields(room);
  assert.equal(await warningsOf(source), '');
  assert.deepEqual(
    [await allocate(room, source, 'a'), await allocate(room, source, 'b')],
    before,
    'found by their descriptions',
  );
  assert.equal(await allocate(room, source, 'c'), '198.51.100.2');
  const listed = await source.list(never);
  assert.ok(listed.kind === 'records');
  assert.deepEqual(listed.records.map(({ owner }) => owner).sort(), ['a', 'b', 'c']);
  assert.deepEqual(room.records(), [
    '198.51.100.0/28 active cluster-uid/lb/a/4',
    '198.51.100.1/28 active cluster-uid/lb/b/4',
    '198.51.100.2/28 active cluster-uid/lb/c/4',
  ]);
  assert.deepEqual(await source.release(orderOf('b'), never), { kind: 'released' });
  await source.check(never);
  const count = transport.requests.length;
  assert.equal(await allocate(room, source, 'd'), '198.51.100.1');
  assert.equal(transport.requests.length - count, 2, 'nothing more is looked for by description');
});

test('records from before the fields are listed and given back even if nothing else happens first', async () => {
  const room = open({ hasFields: false });
  await allocate(room, room.open().source, 'a');
  await allocate(room, room.open().source, 'b');
  makeFields(room);
  const { source } = room.open();
  assert.deepEqual(await source.release(orderOf('a'), never), { kind: 'released' });
  await source.list(never);
  assert.deepEqual(room.records(), ['198.51.100.1/28 active cluster-uid/lb/b/4']);
});

test('a field that is not unique is noticed with the permissions of the guide', async () => {
  const room = open({});
  room.admin('PATCH', 'extras/custom-fields/1/', { unique: false });
  const { source } = room.open();
  assert.match(await warningsOf(source), /^custom field purelb_slot is not unique/);
});

for (const seesFields of [true, false]) {
  const sees = seesFields ? 'sees' : 'does not see';
  test(`a field that is not unique, and a token that ${sees} it: two who ask at once come to one record`, async () => {
    const clock = new ManualClock();
    const room = open({ seesFields, clock });
    room.admin('PATCH', 'extras/custom-fields/1/', { unique: false });
    const latencyMs = () => 10;
    const sources = [room.open({ latencyMs }).source, room.open({ latencyMs }).source];
    const asking = Promise.all(sources.map((source) => source.allocate(orderOf('a'), never)));
    await clock.advance(5_000);
    const [first, second] = await asking;
    assert.deepEqual(first, second);
    assert.equal(room.records().length, 1, room.records().join('\n'));
  });
}

test('a token that cannot see custom fields is warned of, and told what to give it', async () => {
  const room = open({ seesFields: false });
  const { source } = room.open();
  assert.match(await warningsOf(source), /give its user view on Extras > Custom Field$/);
});
