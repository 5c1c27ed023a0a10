/** A history by chance: faults, one after the other, and what must hold all the while. */

import { type Ip, ipOf } from '../../src/model/ip.ts';
import type { SimulatedNode } from './simulated-node.ts';
import { Simulation } from './simulation.ts';

export interface HistoryOptions {
  readonly seed: number;
  readonly nodes: number;
  readonly faults: number;
}

export interface HistoryReport {
  readonly violations: readonly string[];
  readonly story: readonly string[];
  readonly clusterSeconds: number;
  readonly longestSilenceMs: number;
  readonly longestOverlapMs: number;
}

const ips: readonly Ip[] = ['192.0.2.100', '192.0.2.101', '2001:db8:1::100'].map(ipOf);
const stepMs = 50;
/** Detection, the closer look, the claim and the neighbours' caches, twice over. */
const mostSilenceMs = 3_000;
const mostOverlapMs = 1_000;

/** Runs one history to its end, or to the first thing that must not be. */
export async function runHistory(options: HistoryOptions): Promise<HistoryReport> {
  const history = new History(options);
  await history.run(options.faults);
  return history.report();
}

class History {
  readonly #simulation: Simulation;
  readonly #below: (limit: number) => number;
  readonly #story: string[] = [];
  readonly #violations: string[] = [];
  readonly #nobodySince = new Map<Ip, number>();
  readonly #twoSince = new Map<Ip, number>();
  readonly #cut = new Set<SimulatedNode>();
  #longestSilenceMs = 0;
  #longestOverlapMs = 0;

  constructor({ seed, nodes }: HistoryOptions) {
    this.#simulation = new Simulation({ seed, nodes });
    this.#below = randomBelow(seed);
    this.#simulation.segment.passes = (_frame, from, to) =>
      ![...this.#cut].some(({ nic }) => nic === from || nic === to);
  }

  async run(faults: number): Promise<void> {
    const simulation = this.#simulation;
    await simulation.start();
    for (const [index, ip] of ips.entries()) simulation.serve(`s${index}`, ip);
    await simulation.clock.advance(3_000);
    for (let count = 0; count < faults && this.#violations.length === 0; count += 1) {
      this.#breakOne();
      await this.#live(2_000 + this.#below(15_000));
      this.#mendOne();
      await this.#live(12_000 + this.#below(10_000));
    }
  }

  report(): HistoryReport {
    return {
      violations: this.#violations,
      story: this.#story,
      clusterSeconds: this.#simulation.clock.monotonic() / 1000,
      longestSilenceMs: this.#longestSilenceMs,
      longestOverlapMs: this.#longestOverlapMs,
    };
  }

  /** Never so many that nobody is left. */
  #breakOne(): void {
    const { nodes } = this.#simulation;
    const healthy = nodes.filter(
      (node) => node.isOn && node.isAgentRunning && !this.#cut.has(node),
    );
    const victim = healthy[this.#below(healthy.length)];
    if (victim === undefined || healthy.length < 3) return;
    const kind = this.#below(4);
    if (kind === 0) this.#tell(`${victim.name} loses power`, () => victim.powerOff());
    else if (kind === 1) this.#tell(`${victim.name}'s port is cut`, () => this.#cut.add(victim));
    else if (kind === 2) this.#tell(`${victim.name}'s agent is killed`, () => victim.killAgent());
    else this.#tell(`${victim.name}'s agent stands still`, () => victim.stall());
  }

  #mendOne(): void {
    for (const node of this.#simulation.nodes) {
      if (this.#cut.delete(node)) this.#tell(`${node.name} is plugged in`, () => {});
      if (!node.isOn) this.#tell(`${node.name} boots`, () => node.powerOn());
      else if (!node.isAgentRunning) {
        this.#tell(`${node.name}'s agent goes on`, () => {
          node.resume();
          node.startAgent();
        });
      }
    }
  }

  #tell(what: string, act: () => void): void {
    const at = Math.round(this.#simulation.clock.monotonic());
    this.#story.push(
      `${at}: ${what}; ${ips.map((ip) => `${ip} on ${this.#holders(ip).join('+')}`).join(', ')}`,
    );
    act();
  }

  async #live(ms: number): Promise<void> {
    for (let passed = 0; passed < ms && this.#violations.length === 0; passed += stepMs) {
      await this.#simulation.clock.advance(stepMs);
      for (const ip of ips) this.#check(ip);
    }
  }

  /** Of those that the client can reach. */
  #holders(ip: Ip): readonly string[] {
    const { nodes } = this.#simulation;
    return nodes.filter((node) => node.holds(ip) && !this.#cut.has(node)).map(({ name }) => name);
  }

  #check(ip: Ip): void {
    const now = this.#simulation.clock.monotonic();
    const holders = this.#holders(ip);
    const silence = lasted(this.#nobodySince, ip, holders.length === 0, now);
    const overlap = lasted(this.#twoSince, ip, holders.length > 1, now);
    this.#longestSilenceMs = Math.max(this.#longestSilenceMs, silence);
    this.#longestOverlapMs = Math.max(this.#longestOverlapMs, overlap);
    if (silence > mostSilenceMs) this.#violate(`${ip} has had no holder for ${silence} ms`);
    if (overlap > mostOverlapMs) {
      this.#violate(`${ip} has had the holders ${holders.join(', ')} for ${overlap} ms`);
    }
  }

  #violate(what: string): void {
    const at = Math.round(this.#simulation.clock.monotonic());
    this.#violations.push(`${at}: ${what}`);
  }
}

function lasted(since: Map<Ip, number>, ip: Ip, isSo: boolean, now: number): number {
  if (!isSo) {
    since.delete(ip);
    return 0;
  }
  const from = since.get(ip) ?? now;
  since.set(ip, from);
  return now - from;
}

/** Repeatable: xorshift of 32 bits. */
function randomBelow(seed: number): (limit: number) => number {
  let state = (seed * 2_654_435_761) >>> 0 || 1;
  return (limit) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    state >>>= 0;
    return state % limit;
  };
}
