import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededIdentities } from '../../lab/api/rest/identities.ts';
import type { AllocatorSetup } from '../../src/allocator/allocator.ts';
import { AddressAudit } from './address-audit.ts';
import { RandomHistory } from './random-history.ts';
import { type Network, SimulatedCluster } from './simulated-cluster.ts';

/** More of them by `WRITER_SEEDS=1000:200`: first and count. */
const { WRITER_SEEDS = '1:2' } = process.env;
const [first = 1, count = 2] = WRITER_SEEDS.split(':').map(Number);
const steps = 20;

/** A network that now and then stands still; what was sent meanwhile arrives when it goes on. */
class Freezer {
  readonly #cluster: SimulatedCluster;
  readonly #below: (limit: number) => number;
  #until = 0;

  constructor(cluster: SimulatedCluster, below: (limit: number) => number) {
    this.#cluster = cluster;
    this.#below = below;
  }

  freeze(ms: number): void {
    this.#until = this.#cluster.clock.monotonic() + ms;
  }

  get network(): Network {
    const left = () => Math.max(0, this.#until - this.#cluster.clock.monotonic());
    return {
      latencyMs: () => left() + this.#below(60),
      lagMs: () => left() + this.#below(100),
    };
  }
}

type Rules = Partial<Pick<AllocatorSetup, 'election'>>;

/** Two allocators through one history; each of them is cut off now and then, in the middle of whatever it does. */
async function live(
  seed: number,
  rules: Rules,
  check: 'checkWhole' | 'checkTold',
): Promise<readonly string[]> {
  const { pick: below } = seededIdentities(seed);
  const pick = <T>(choices: readonly T[]): T => choices[below(choices.length)] as T;
  const cluster = new SimulatedCluster(seed);
  const audit = new AddressAudit(cluster);
  const history = new RandomHistory(cluster, pick);
  const freezers = [new Freezer(cluster, below), new Freezer(cluster, below)];
  const allocators = freezers.map(({ network }) => cluster.start(network, rules));
  const pass = async (times: readonly number[]) => {
    for (let left = below(5); left >= 0; left -= 1) history.step();
    await cluster.clock.advance(pick(times));
  };
  for (let step = 0; step < steps; step += 1) {
    await pass([0, 5, 30, 100, 300]);
    if (below(3) === 0) freezers[below(2)]?.freeze(pick([500, 2_500, 5_000]));
    await pass([0, 5, 300, 3_000, 6_000]);
  }
  await cluster.clock.advance(60_000);
  for (const allocator of allocators) await allocator.stop();
  try {
    audit[check](history.reported);
  } catch (error) {
    const why = error instanceof Error ? error.message : error;
    throw new Error(`seed ${seed}: ${why}\n${history.trace.slice(-60).join('\n')}`);
  }
  return allocators.flatMap(({ log }) => log.filter((line) => line.includes('"msg":"Elected"')));
}

test('two allocators that take over from each other give no address twice and lose none', async (t) => {
  let elections = 0;
  for (let seed = first; seed < first + count; seed += 1) {
    elections += (await live(seed, {}, 'checkWhole')).length;
  }
  t.diagnostic(`${elections} elections`);
  assert.ok(elections > count, 'somebody has taken over');
});

test('two allocators that both lead all the time may give an address twice, and tell of it', async () => {
  for (let seed = first; seed < first + count; seed += 1) {
    await live(seed, { election: undefined }, 'checkTold');
  }
});
