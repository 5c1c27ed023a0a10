/** The tests of histories, each file with a few of them so that they run beside each other. */

import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { type HistoryOptions, NetboxHistory } from './netbox-history.ts';

/** More of them by `NETBOX_SEEDS=50`: how many beside the first. */
const { NETBOX_SEEDS = '1' } = process.env;

export const usual = { allocators: 3, owners: 8 } as const;
export const prefixes = ['198.51.100.0/24', '2001:db8::/120'];

export async function live(
  t: TestContext,
  first: number,
  options: Omit<HistoryOptions, 'seed'>,
): Promise<void> {
  for (let seed = first; seed < first + Number(NETBOX_SEEDS); seed += 1) {
    const report = await new NetboxHistory({ ...options, seed }).run();
    const { problems, ...figures } = report;
    t.diagnostic(`seed ${seed}: ${JSON.stringify(figures)}`);
    assert.deepEqual(problems, [], `seed ${seed}`);
    assert.ok(figures.crashes > 10 && figures.faults > 100, 'enough goes wrong');
  }
}
