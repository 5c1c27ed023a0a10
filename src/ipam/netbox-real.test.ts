/**
 * The contract on a real Netbox: `NETBOX_URL=https://netbox.example NETBOX_TOKEN=... node --test
 * src/ipam/netbox-real.test.ts`. The token must be an administrator's. What it makes has names of its own and is removed;
 * only the custom fields stay.
 */

import { test } from 'node:test';
import { ipOf } from '../model/ip.ts';
import { type SourceRoom, testAddressSource } from './address-source.contract.ts';
import {
  noRealNetbox,
  RealNetbox,
  type RealNetboxAccess,
  realNetboxAccess,
  realPool,
} from './netbox-real.fixture.ts';

const prefixes = ['198.51.100.240/30', '2001:db8:ffff:ffff::/126'];
const hosts = ['198.51.100.240', '198.51.100.241', '198.51.100.242', '198.51.100.243'];
const longHosts = ['', '1', '2', '3'].map((end) => `2001:db8:ffff:ffff::${end}`);

async function openRoom(named: RealNetboxAccess): Promise<SourceRoom> {
  const real = await RealNetbox.open(named, prefixes);
  const source = real.source();
  const close = async () => {
    source.close();
    await real.close();
  };
  const addresses = [...hosts, ...longHosts].map(ipOf);
  return { source, pool: realPool, addresses, takesWishes: true, close };
}

const access = realNetboxAccess();
if (access === undefined) test('a real Netbox', { skip: noRealNetbox }, () => {});
else testAddressSource('a real Netbox', () => openRoom(access));
