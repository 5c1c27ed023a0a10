import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tenant } from '../../lab/netbox/set-up.ts';
import { type Ip, ipOf } from '../model/ip.ts';
import { SystemClock } from '../runtime/system-clock.ts';
import { testAddressSource } from './address-source.contract.ts';
import { NetboxRoom, type NetboxRoomOptions, never } from './netbox-room.fixture.ts';

const v4 = ['198.51.100.0', '198.51.100.1', '198.51.100.2', '198.51.100.3'].map(ipOf);
const v6 = ['2001:db8::', '2001:db8::1', '2001:db8::2', '2001:db8::3'].map(ipOf);
const prefixes = ['198.51.100.0/30', '2001:db8::/126'];
const all = [...v4, ...v6];

function testNetbox(
  name: string,
  options: NetboxRoomOptions,
  {
    addresses = all,
    prepare = () => {},
  }: { addresses?: readonly Ip[]; prepare?: (room: NetboxRoom) => void } = {},
): void {
  testAddressSource(name, async () => {
    const room = new NetboxRoom({ clock: new SystemClock(), ...options });
    prepare(room);
    const { source } = room.open();
    const isForOneWriter = options.hasFields === false || isSingle(options);
    const close = async () => source.close();
    return { source, pool: 'lb', addresses, takesWishes: true, isForOneWriter, close };
  });
}

/** The older release has no conditional writes, which reserved addresses need. */
function isSingle({ version, spec }: NetboxRoomOptions): boolean {
  return version === '4.2.9' && spec !== undefined;
}

const reserve = (room: NetboxRoom) => room.reserve(...all);
const seed = (room: NetboxRoom) => {
  room.admin('POST', 'ipam/ip-addresses/', { address: '192.0.2.1/32', tenant: { slug: tenant } });
};

testNetbox('Netbox 4.6, prefixes', { prefixes });
testNetbox('Netbox 4.2, prefixes', { prefixes, version: '4.2.9' });
testNetbox('Netbox 4.6, ranges', {
  prefixes: ['198.51.100.0/24', '2001:db8::/64'],
  ranges: [
    ['198.51.100.0/24', '198.51.100.3/24'],
    ['2001:db8::/64', '2001:db8::3/64'],
  ],
  spec: { tenant, ranges: ['198.51.100.0-198.51.100.3', '2001:db8::-2001:db8::3'] },
});
testNetbox('Netbox 4.6, reserved by tenant', { spec: { tenant } }, { prepare: reserve });
testNetbox(
  'Netbox 4.2, reserved by tenant',
  { spec: { tenant }, version: '4.2.9' },
  { prepare: reserve },
);
testNetbox('Netbox 4.6, without custom fields', { prefixes, hasFields: false }, { prepare: seed });
testNetbox('Netbox 4.6, addresses not unique', { prefixes, enforcesGlobalUnique: false });

test('an address costs two requests, and so does its return', async () => {
  const { source, transport } = new NetboxRoom({ prefixes }).open();
  await source.check(never);
  const slot = {
    pool: 'lb',
    owner: 'uid-1',
    family: 'ipv4',
    service: 'a/1',
    sharingKey: undefined,
  } as const;
  const count = async (run: () => Promise<unknown>) => {
    const before = transport.requests.length;
    await run();
    return transport.requests.slice(before).map((text) => text.replace(/\?.*/, ''));
  };
  assert.deepEqual(await count(() => source.allocate({ ...slot, wish: undefined }, never)), [
    'GET /api/ipam/ip-addresses/',
    'POST /api/ipam/prefixes/1/available-ips/',
  ]);
  assert.deepEqual(await count(() => source.release(slot, never)), [
    'GET /api/ipam/ip-addresses/',
    'DELETE /api/ipam/ip-addresses/1/',
  ]);
});
