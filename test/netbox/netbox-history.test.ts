import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { tenant } from '../../lab/netbox/set-up.ts';
import type { NetboxRoom } from '../../src/ipam/netbox-room.fixture.ts';
import { type HistoryOptions, NetboxHistory } from './netbox-history.ts';

/** More of them by `NETBOX_SEEDS=100:50`: first and count. */
const { NETBOX_SEEDS = '1:2' } = process.env;
const [first = 1, count = 2] = NETBOX_SEEDS.split(':').map(Number);

const usual = { allocators: 3, owners: 8 } as const;
const prefixes = ['198.51.100.0/24', '2001:db8::/120'];

async function live(t: TestContext, options: Omit<HistoryOptions, 'seed'>): Promise<void> {
  for (let seed = first; seed < first + count; seed += 1) {
    const report = await new NetboxHistory({ ...options, seed }).run();
    const { problems, ...figures } = report;
    t.diagnostic(`seed ${seed}: ${JSON.stringify(figures)}`);
    assert.deepEqual(problems, [], `seed ${seed}`);
    assert.ok(figures.crashes > 10 && figures.faults > 100, 'enough goes wrong');
  }
}

test('whatever is lost and whoever dies, no address is doubled, lost or told otherwise', (t) =>
  live(t, { ...usual, prefixes, operations: 5_000 }));

test('the same with the older release, which has no conditional writes', (t) =>
  live(t, { ...usual, prefixes, version: '4.2.9', operations: 1_000 }));

test('the same with addresses that are reserved for the tenant', (t) =>
  live(t, {
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
