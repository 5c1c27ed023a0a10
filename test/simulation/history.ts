/** Runs a planned history: faults begin and end, overlap, and are over in the end; what must hold is looked at all the while. */

import { type Ip, ipOf } from '../../src/model/ip.ts';
import { describeCalm } from './calm.ts';
import { Chance } from './chance.ts';
import { Disturbances } from './disturbances.ts';
import { beginFault } from './fault-actions.ts';
import type { Burst, HistoryPlan, PlannedFault } from './fault-plan.ts';
import type { FaultWorld } from './fault-world.ts';
import { Invariants } from './invariants.ts';
import { type Measurements, noMeasurements } from './measurements.ts';
import type { SimulatedNode } from './simulated-node.ts';
import { Simulation } from './simulation.ts';
import { Story } from './story.ts';
import { Weather } from './weather.ts';

export interface HistoryOptions {
  /** Calm is lived through in full, not jumped over. */
  readonly isFull?: boolean;
  readonly pingEveryMs?: number;
  /** Tell what the agents log, too. */
  readonly isTold?: boolean;
}

export interface HistoryReport {
  readonly seed: number;
  readonly violations: readonly string[];
  readonly story: readonly string[];
  readonly measurements: Measurements;
  /** The state at the end, in words that know no times. */
  readonly end: string;
}

const services: readonly (readonly [name: string, ...ips: string[]])[] = [
  ['web', '192.0.2.100'],
  ['mail', '192.0.2.101', '2001:db8:1::101'],
  ['dns', '2001:db8:1::102'],
];
const ips: readonly Ip[] = services.flatMap(([, ...all]) => all.map(ipOf));

const stepMs = 100;
/** After everything is well again; memories of a minute and less have gone by then. */
const settleMs = 65_000;

/** In what is violated for good. */
const lastingMark = 'and nothing mends it';

/** Runs one history to its end, or to the first thing that must not be. */
export async function runHistory(
  plan: HistoryPlan,
  options: HistoryOptions = {},
): Promise<HistoryReport> {
  const history = new History(plan, options);
  await history.run();
  return history.report();
}

export class History {
  readonly simulation: Simulation;
  readonly weather: Weather;
  readonly #plan: HistoryPlan;
  readonly #options: HistoryOptions;
  readonly #disturbances = new Disturbances();
  readonly #measurements = noMeasurements();
  readonly #violations: string[] = [];
  readonly #story: Story;
  readonly #invariants: Invariants;
  readonly #excluded = new Set<SimulatedNode>();
  readonly #unreadable = new Set<SimulatedNode>();
  #elidedMs = 0;

  constructor(plan: HistoryPlan, options: HistoryOptions) {
    this.#plan = plan;
    this.#options = options;
    const { seed, traits } = plan;
    const { nodes, zones, proxyArp, secondNic, ipvs, suppression, shortLifetimes } = traits;
    const { pingEveryMs } = options;
    this.simulation = new Simulation({
      seed,
      nodes,
      zones,
      proxyArp,
      isApiInBand: traits.apiInBand,
      traits: { secondNic, ipvsIps: ipvs ? ips : [] },
      ...(shortLifetimes ? { lifetimeSeconds: 60 } : {}),
      ...(pingEveryMs === undefined ? {} : { pingEveryMs }),
    });
    const { clock, segment } = this.simulation;
    const chance = new Chance(seed + 1);
    this.weather = new Weather(segment, { clock, chance });
    this.weather.suppresses = suppression;
    const now = () => clock.monotonic() + this.#elidedMs;
    this.#story = new Story(this.simulation, now, options.isTold === true);
    this.#invariants = this.#makeInvariants();
  }

  async run(): Promise<void> {
    const { simulation } = this;
    this.#story.tell(`a cluster of ${describeTraits(this.#plan)}`);
    await simulation.start();
    for (const [name, ...all] of services) simulation.serve(name, ...all);
    await this.live(15_000);
    for (const burst of this.#plan.bursts) {
      if (this.#violations.length > 0) break;
      await this.#runBurst(burst);
    }
    if (this.#violations.length > 0) await this.#seeItEnd();
    this.#measurements.fullMs = simulation.clock.monotonic();
    this.#measurements.elidedMs = this.#elidedMs;
  }

  report(): HistoryReport {
    return {
      seed: this.#plan.seed,
      violations: this.#violations,
      story: this.#story.lines(),
      measurements: this.#measurements,
      end: describeCalm(this.simulation),
    };
  }

  /** Until the first violation. */
  async live(ms: number): Promise<void> {
    for (let passed = 0; passed < ms && this.#violations.length === 0; passed += stepMs) {
      await this.simulation.clock.advance(Math.min(stepMs, ms - passed));
      this.#invariants.check();
    }
  }

  async #runBurst({ faults, calmMs }: Burst): Promise<void> {
    const { clock } = this.simulation;
    const startedAt = clock.monotonic();
    for (const fault of faults) clock.after(fault.at, () => this.#begin(fault));
    const lastAt = Math.max(0, ...faults.map(({ at }) => at));
    await this.live(lastAt + 1);
    while (!this.#disturbances.isCalm && this.#violations.length === 0) await this.live(1_000);
    await this.live(settleMs);
    if (this.#violations.length > 0) return;
    await this.#beCalm(calmMs);
    this.#disturbances.forgetBefore(startedAt);
  }

  /** What took too long is one thing; what is never well again, with everything working, another. */
  async #seeItEnd(): Promise<void> {
    const { clock } = this.simulation;
    while (!this.#disturbances.isCalm) await clock.advance(1_000);
    await clock.advance(settleMs);
    const ill = this.#invariants.findUnwell();
    if (ill.length === 0) this.#story.tell('all is well again');
    for (const what of ill) this.#violate(`${what}, ${lastingMark}`);
  }

  /** Nothing changes: what is so now is so after any number of the periods in which it repeats. */
  async #beCalm(ms: number): Promise<void> {
    const before = describeCalm(this.simulation);
    if (this.#options.isFull === true) {
      await this.live(ms);
    } else {
      this.#elidedMs += ms;
    }
    const after = describeCalm(this.simulation);
    if (before !== after) this.#violate(`calm was none:\n${before}\n${after}`);
    this.#story.tell(`${Math.round(ms / 60_000)} minutes of calm`);
  }

  #begin(fault: PlannedFault): void {
    const { clock } = this.simulation;
    const begun = this.#violations.length > 0 ? undefined : beginFault(this.#faultWorld(), fault);
    if (begun === undefined) return;
    const { kind, lastsMs } = fault;
    const disturbance = this.#disturbances.begin(kind, begun.nodes, clock.monotonic());
    const { injected } = this.#measurements;
    this.#measurements.faults += 1;
    injected[kind] = (injected[kind] ?? 0) + 1;
    this.#story.tell(begun.what);
    this.#invariants.noteEvent();
    // Those that run by themselves last until they are through.
    const realMs = kind === 'rolling-restart' ? this.simulation.nodes.length * 4_000 : lastsMs;
    clock.after(realMs, () => {
      begun.end();
      disturbance.to = clock.monotonic();
      if (realMs > 0) this.#story.tell(`over: ${begun.what}`);
      this.#invariants.noteEvent();
    });
  }

  #faultWorld(): FaultWorld {
    const { simulation, weather } = this;
    return {
      simulation,
      weather,
      excluded: this.#excluded,
      unreadable: this.#unreadable,
      canSpare: (...nodes) => this.#invariants.countAble(nodes) >= 2,
      isActive: (kind, node) => this.#disturbances.isActive(kind, node),
      after: (ms, callback) => simulation.clock.after(ms, callback),
    };
  }

  #makeInvariants(): Invariants {
    const { simulation } = this;
    const invariants = new Invariants({
      simulation,
      disturbances: this.#disturbances,
      measurements: this.#measurements,
      excluded: this.#excluded,
      unreadable: this.#unreadable,
      isMisleading: this.#plan.traits.ipvs,
      onViolation: (what) => this.#violate(what),
      onMove: (ip, holders) => this.#story.tellMove(ip, holders),
    });
    simulation.onChange = () => invariants.look();
    simulation.onWrite = (method, url) => invariants.checkWrite(method, url);
    for (const node of simulation.nodes) {
      node.onChanges = (changes) => invariants.checkChanges(node, changes);
      node.onStale = (line) => this.#violate(line);
    }
    return invariants;
  }

  #violate(what: string): void {
    this.#story.tell(`VIOLATION: ${what}`);
    this.#violations.push(`seed ${this.#plan.seed} at ${this.#story.time()}: ${what}`);
  }
}

function describeTraits({ traits }: HistoryPlan): string {
  const { nodes, ...rest } = traits;
  const names = Object.entries(rest).flatMap(([name, isSo]) => (isSo === true ? [name] : []));
  return [`${nodes} nodes`, ...names].join(', ');
}
