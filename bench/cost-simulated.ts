/** What each node of a large cluster sends while all is well, and how long it takes to decide: simulated, on one thread. */

import type { NeighbourFrame } from '../src/model/neighbour-frame.ts';
import { Simulation } from '../test/simulation/simulation.ts';
import { type Spread, spreadOf } from './cost-calm.ts';
import { quantile } from './quantile.ts';

export interface SimulatedFigures {
  /** Sent per second. */
  readonly packets: Spread;
  /** By the busiest node. */
  readonly arp: number;
  /** Milliseconds of this machine for one look at everything, of the slowest node. */
  readonly passMs: number;
}

const families = 2;
const startMs = 8_000;
const settleMs = 12_000;
const windowMs = 5_000;
const stepMs = 2_000;

export async function simulateCalm(
  nodes: number,
  addresses: number,
  say: (text: string) => void,
): Promise<SimulatedFigures> {
  const simulation = new Simulation({ seed: 1, nodes });
  const live = async (ms: number, what: string) => {
    for (let passed = 0; passed < ms; passed += stepMs) {
      say(`${nodes} nodes, simulated: ${what}, second ${passed / 1000} of ${ms / 1000}`);
      await simulation.clock.advance(Math.min(stepMs, ms - passed));
    }
  };
  for (const node of simulation.nodes) node.startAgent();
  await live(startMs, 'starting');
  for (let number = 0; number < addresses / families; number += 1) {
    simulation.serve(
      `cost-${number}`,
      `192.0.2.${120 + number}`,
      `2001:db8:1::${(0x1000 + number).toString(16)}`,
    );
  }
  await live(settleMs, `${addresses} addresses settle`);
  const sent = countFrames(simulation);
  await live(windowMs, 'measuring');
  const perSecond = (counts: ReadonlyMap<string, number>) =>
    spreadOf(simulation.nodes.map(({ nic }) => (1000 * (counts.get(nic.mac) ?? 0)) / windowMs));
  return {
    packets: perSecond(sent.all),
    arp: perSecond(sent.arp).most,
    passMs: await measurePasses(simulation),
  };
}

/** From now on, by the MAC of the node that sent them. */
export function countFrames({ segment, nodes }: Pick<Simulation, 'segment' | 'nodes'>) {
  const all = new Map<string, number>();
  const arp = new Map<string, number>();
  const macs = new Set<string>(nodes.map(({ nic }) => nic.mac));
  const { copies } = segment;
  segment.copies = (frame, from) => {
    if (macs.has(from.mac)) {
      count(all, from.mac);
      if (isQuestionForAddress(frame)) count(arp, from.mac);
    }
    return copies(frame, from);
  };
  const stop = () => {
    segment.copies = copies;
  };
  return { all, arp, stop };
}

function count(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

/** ARP, and what takes its place in IPv6. */
function isQuestionForAddress({ kind }: NeighbourFrame): boolean {
  return kind === 'arp' || kind === 'neighbour-solicitation';
}

/** One after another: the clock stands still meanwhile. */
async function measurePasses({ nodes, clock }: Simulation): Promise<number> {
  const times: number[] = [];
  for (const { agent } of nodes.slice(0, 20)) {
    const before = agent?.last?.number ?? 0;
    const startedAt = performance.now();
    agent?.reconciler.wake('node');
    await clock.advance(0);
    if ((agent?.last?.number ?? 0) > before) times.push(performance.now() - startedAt);
  }
  return quantile(times, 0.5);
}
