import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Ip, ipOf } from '../../src/model/ip.ts';
import type { SimulatedNode } from './simulated-node.ts';
import { Simulation } from './simulation.ts';

const vips = [ipOf('192.0.2.100'), ipOf('2001:db8:1::100')];
const excludeLabel = 'node.kubernetes.io/exclude-from-external-load-balancers';
/** The overlap, twice over. */
const mostOverlapMs = 1_000;

async function served(nodes = 3, seed = 1) {
  const simulation = new Simulation({ seed, nodes });
  await simulation.start();
  simulation.serve('web', ...vips);
  await simulation.clock.advance(6_000);
  return simulation;
}

function holderOf(simulation: Simulation, ip: Ip): SimulatedNode {
  const [name] = simulation.holders(ip);
  const node = simulation.nodes.find((one) => one.name === name);
  assert.ok(node !== undefined, `${ip} has no holder`);
  return node;
}

/** Lives on, and tells the longest time with two holders that are on. */
async function live(simulation: Simulation, ms: number, ips: readonly Ip[] = vips) {
  const since = new Map<Ip, number>();
  let longest = 0;
  for (let passed = 0; passed < ms; passed += 10) {
    await simulation.clock.advance(10);
    const now = simulation.clock.monotonic();
    for (const ip of ips) {
      const count = simulation.holders(ip).length;
      assert.ok(count > 0, `${ip} has no holder at ${now}: ${story(simulation)}`);
      if (count < 2) since.delete(ip);
      else since.set(ip, since.get(ip) ?? now);
      longest = Math.max(longest, now - (since.get(ip) ?? now));
    }
  }
  return longest;
}

function story({ nodes }: Simulation): string {
  const lines = nodes.flatMap(({ name, log }) => log.slice(-12).map((line) => `${name} ${line}`));
  return lines.join('\n');
}

function assertNothingLost(simulation: Simulation, since: number, ips: readonly Ip[] = vips): void {
  assert.deepEqual(
    ips.map((ip) => [ip, simulation.client.longestSilence(ip, since)]),
    ips.map((ip) => [ip, 0]),
    story(simulation),
  );
}

function label(simulation: Simulation, { name }: SimulatedNode, value: string | null): void {
  const metadata = { labels: { [excludeLabel]: value } };
  simulation.send('PATCH', `/api/v1/nodes/${name}`, { metadata });
}

test('a node that is labelled hands over what it holds, and no packet is lost', async () => {
  const simulation = await served();
  const since = simulation.clock.monotonic();
  const before = vips.map((ip) => holderOf(simulation, ip));
  const [first] = before;
  assert.ok(first !== undefined);
  label(simulation, first, '');
  const overlap = await live(simulation, 10_000);
  for (const ip of vips) {
    assert.equal(simulation.holders(ip).length, 1);
    assert.equal(first.holds(ip), false);
  }
  assertNothingLost(simulation, since);
  assert.ok(overlap >= 400 && overlap <= mostOverlapMs, `${overlap} ms`);
});
