import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tenant } from '../../lab/netbox/set-up.ts';
import { order, testPeoplesNetbox } from './netbox-people.contract.ts';
import { noRealNetbox, RealNetbox, realNetboxAccess } from './netbox-real.fixture.ts';
import { NetboxRoom, never } from './netbox-room.fixture.ts';

const prefixes = ['198.51.100.232/29'];

for (const version of ['4.6.8', '4.2.9'] as const) {
  testPeoplesNetbox(`Netbox ${version}`, async () => {
    const room = new NetboxRoom({ prefixes, version });
    return {
      tenant,
      source: (more = {}) => room.open({ more }).source,
      admin: async (method, path, body) => room.admin(method, path, body),
      close: async () => {},
    };
  });
}

const access = realNetboxAccess();
if (access === undefined) test('the same on a real Netbox', { skip: noRealNetbox }, () => {});
else {
  testPeoplesNetbox('a real Netbox', async () => {
    const real = await RealNetbox.open(access, prefixes);
    return {
      tenant: real.id,
      source: (more = {}) => real.source((transport) => transport, more),
      admin: (method, path, body) => real.admin(method, path, body),
      close: () => real.close(),
    };
  });
}

test('without custom fields a description makes way for the slot, and comes back', async () => {
  const room = new NetboxRoom({ hasFields: false, spec: { tenant } });
  const description = 'for the shop';
  const address = { address: '198.51.100.6/32', status: 'reserved', tenant: { slug: tenant } };
  room.admin('POST', 'ipam/ip-addresses/', { ...address, description, comments: 'ticket 4711' });
  const { source } = room.open();
  const outcome = await source.allocate(order, never);
  assert.ok(outcome.kind === 'address', JSON.stringify(outcome));
  const [row] = room.netbox.tables.all('ipam/ip-addresses');
  assert.match(String(row?.fields['description']), /^purelb cluster-uid\/lb\/uid-1\/4/);
  assert.deepEqual(await source.release(order, never), { kind: 'released' });
  const { description: after, comments, status } = { ...row?.fields };
  assert.deepEqual([after, comments, status], [description, 'ticket 4711', 'reserved']);
});
