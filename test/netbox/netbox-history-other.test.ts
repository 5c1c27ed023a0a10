import { test } from 'node:test';
import { tenant } from '../../lab/netbox/set-up.ts';
import type { NetboxRoom } from '../../src/ipam/netbox-room.fixture.ts';
import { live, prefixes, usual } from './live-history.ts';

test('no address is doubled or lost with the older release, which has no conditional writes', (t) =>
  live(t, 1, { ...usual, prefixes, version: '4.2.9', operations: 1_500 }));

test('no address is doubled or lost of those that are reserved for the tenant', (t) =>
  live(t, 1, {
    ...usual,
    owners: 5,
    spec: { tenant },
    operations: 1_500,
    prepare: (room: NetboxRoom) => {
      for (let host = 1; host <= 30; host += 1) {
        room.reserve(`198.51.100.${host}/32`, `2001:db8::${host.toString(16)}/128`);
      }
    },
  }));
