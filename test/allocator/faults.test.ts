import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Fault, WatchBreak } from '../../lab/api/faults/fault.ts';
import { seededIdentities } from '../../lab/api/rest/identities.ts';
import { AddressAudit } from './address-audit.ts';
import { allocatorUser } from './allocator-world.ts';
import { RandomHistory } from './random-history.ts';
import { SimulatedCluster, slowNetwork } from './simulated-cluster.ts';

const faults: readonly Fault[] = [
  { kind: 'status', code: 409 },
  { kind: 'status', code: 429, retryAfterSeconds: 1 },
  { kind: 'status', code: 500 },
  { kind: 'status', code: 503 },
  { kind: 'status', code: 504 },
  { kind: 'reset' },
  { kind: 'lost-answer' },
  { kind: 'hang' },
  { kind: 'latency', ms: 3_000 },
  { kind: 'latency', ms: 14_000 },
];

const breaks: readonly WatchBreak[] = [
  { how: 'end' },
  { how: 'reset' },
  { how: 'stall' },
  { how: 'half-line' },
  { how: 'error', code: 410 },
  { how: 'error', code: 500 },
];

/** Two allocators, a server that fails them in every way it can, and people who go on working. */
async function live(seed: number, steps: number): Promise<{ readonly elections: number }> {
  const { pick: below } = seededIdentities(seed);
  const pick = <T>(choices: readonly T[]): T => choices[below(choices.length)] as T;
  const cluster = new SimulatedCluster(seed);
  const audit = new AddressAudit(cluster);
  const history = new RandomHistory(cluster, pick);
  const pair = [0, 1].map(() => cluster.start(slowNetwork(below)));
  for (let step = 0; step < steps; step += 1) {
    for (let more = below(5); more >= 0; more -= 1) history.step();
    history.trace.push(...plague(cluster, below, pick));
    await cluster.clock.advance(pick([0, 5, 300, 2_000, 16_000]));
  }
  cluster.faults.clear();
  // A watch that fell silent is noticed after 150 s.
  await cluster.clock.advance(900_000);
  const log = pair.flatMap((each) => each.log);
  try {
    audit.checkWhole(history.reported);
    for (const each of pair) await each.stop();
    await checkNothingLeft(cluster);
  } catch (error) {
    const trace = [...history.trace.slice(-60), ...log.slice(-40)].join('\n');
    throw new Error(`seed ${seed}: ${error instanceof Error ? error.message : error}\n${trace}`, {
      cause: error,
    });
  }
  return { elections: log.filter((line) => line.includes('"msg":"Elected"')).length };
}

/** Something goes wrong, perhaps several things; returns what. */
function plague(
  { faults: server }: SimulatedCluster,
  below: (limit: number) => number,
  pick: <T>(choices: readonly T[]) => T,
): readonly string[] {
  const said: string[] = [];
  const match = { user: allocatorUser };
  if (below(4) === 0) {
    const fault = pick(faults);
    server.add({ match, fault, times: 1 + below(4), probability: 0.5 });
    said.push(`  fault: ${JSON.stringify(fault)}`);
  }
  if (below(12) === 0) {
    const renewals = { ...match, verb: 'update', resource: 'leases' };
    server.add({ match: renewals, fault: pick(faults), times: 12 });
    said.push('  fault: the Lease cannot be renewed');
  }
  if (below(8) === 0) {
    const how = pick(breaks);
    server.breakWatches(how, match);
    said.push(`  watches: ${JSON.stringify(how)}`);
  }
  return said;
}

async function checkNothingLeft(cluster: SimulatedCluster): Promise<void> {
  const next = cluster.start();
  await cluster.clock.advance(20_000);
  const own = next.transport.writes.filter((write) => !write.includes('/leases'));
  assert.deepEqual(own, []);
  await next.stop();
}

/** More of them by `FAULT_SEEDS=1000:200`: first and count. */
const { FAULT_SEEDS = '1:8' } = process.env;
const [first = 1, count = 8] = FAULT_SEEDS.split(':').map(Number);

test('whatever the API server does to two allocators, no address is given twice or lost', async (t) => {
  let elections = 0;
  for (let seed = first; seed < first + count; seed += 1) {
    elections += (await live(seed, 60)).elections;
  }
  t.diagnostic(`${elections} elections`);
  assert.ok(elections > count, `only ${elections} elections`);
});
