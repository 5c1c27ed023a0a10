/**
 * On the emulation always; on a real one by `NETBOX_URL=https://netbox.example NETBOX_TOKEN=... node --test
 * test/netbox/netbox-mortal.test.ts`, with an administrator's token. `NETBOX_OPERATIONS` sets how long it goes on.
 */

import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { adminToken } from '../../lab/netbox/netbox.ts';
import { startNetbox } from '../../lab/netbox/start-netbox.ts';
import {
  noRealNetbox,
  RealNetbox,
  type RealNetboxAccess,
  realNetboxAccess,
} from '../../src/ipam/netbox-real.fixture.ts';
import { MortalHistory } from './mortal-history.ts';

const { NETBOX_OPERATIONS = '120' } = process.env;
const prefixes = ['198.51.100.192/27', '2001:db8:ffff:fffe::/123'];

async function live(t: TestContext, access: RealNetboxAccess): Promise<void> {
  const real = await RealNetbox.open(access, prefixes);
  try {
    const history = new MortalHistory(real, { operations: Number(NETBOX_OPERATIONS), seed: 7 });
    const { problems, ...figures } = await history.run();
    t.diagnostic(JSON.stringify(figures));
    assert.deepEqual(problems, []);
    assert.ok(figures.crashes > Number(NETBOX_OPERATIONS) / 10, 'enough of them die');
  } finally {
    await real.close();
  }
}

test('killed at any request over the network, allocators neither leak nor double', async (t) => {
  const server = await startNetbox();
  try {
    await live(t, { url: server.url, token: adminToken });
    assert.deepEqual(server.netbox.tables.all('ipam/ip-addresses'), []);
    assert.deepEqual(server.netbox.tables.all('ipam/prefixes'), []);
  } finally {
    await server.stop();
  }
});

const access = realNetboxAccess();
if (access === undefined) test('the same on a real Netbox', { skip: noRealNetbox }, () => {});
else test('the same on a real Netbox', (t) => live(t, access));
