import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededIdentities } from '../../lab/api/rest/identities.ts';
import { AddressAudit } from './address-audit.ts';
import type { Fate } from './memory-transport.ts';
import { RandomHistory } from './random-history.ts';
import { SimulatedCluster, slowNetwork } from './simulated-cluster.ts';

/** More of them by `CRASH_SEEDS=1000:200`: first and count. */
const { CRASH_SEEDS = '1:12' } = process.env;
const [first = 1, count = 12] = CRASH_SEEDS.split(':').map(Number);
const seeds = { first, count };

interface Outcome {
  readonly deaths: number;
  readonly writes: number;
}

/**
 * Somebody is always killed: each allocator dies at one of its first writes, of whatever kind, before or after the
 * server carried it out. In the end one lives on, and everything must be as if nothing had happened.
 */
async function live(seed: number, steps: number): Promise<Outcome> {
  const { pick: below } = seededIdentities(seed);
  const pick = <T>(choices: readonly T[]): T => choices[below(choices.length)] as T;
  const cluster = new SimulatedCluster(seed);
  const audit = new AddressAudit(cluster);
  const history = new RandomHistory(cluster, pick);
  let deaths = 0;
  let writes = 0;
  const startDoomed = () => {
    let left = below(12);
    const fateOf = (): Fate => {
      left -= 1;
      return left >= 0 ? 'answered' : pick<Fate>(['sent', 'lost']);
    };
    return cluster.start({ ...slowNetwork(below), fateOf });
  };
  let allocator = startDoomed();
  for (let step = 0; step < steps; step += 1) {
    for (let more = below(5); more >= 0; more -= 1) history.step();
    await cluster.clock.advance(pick([0, 0, 5, 300, 16_000, 60_000]));
    if (!allocator.transport.isDead) continue;
    writes += allocator.transport.writes.length;
    deaths += 1;
    await allocator.crash();
    allocator = startDoomed();
  }
  await allocator.crash();
  const last = cluster.start();
  await cluster.clock.advance(700_000);
  try {
    audit.checkWhole(history.reported);
    await last.stop();
    await checkNothingLeft(cluster);
  } catch (error) {
    const trace = [...history.trace.slice(-60), ...last.log.slice(-20)].join('\n');
    throw new Error(`seed ${seed}: ${error instanceof Error ? error.message : error}\n${trace}`, {
      cause: error,
    });
  }
  return { deaths, writes };
}

/** Whoever comes next finds nothing to do. */
async function checkNothingLeft(cluster: SimulatedCluster): Promise<void> {
  const next = cluster.start();
  await cluster.clock.advance(30_000);
  const own = next.transport.writes.filter((write) => !write.includes('/leases'));
  assert.deepEqual(own, []);
  await next.stop();
}

test('an allocator killed at any write gives no address twice and loses none', async (t) => {
  let deaths = 0;
  let writes = 0;
  const { first, count } = seeds;
  for (let seed = first; seed < first + count; seed += 1) {
    const outcome = await live(seed, 60);
    deaths += outcome.deaths;
    writes += outcome.writes;
  }
  t.diagnostic(`${deaths} deaths, ${writes} writes`);
  assert.ok(deaths > 10 * count, `only ${deaths} deaths`);
});
