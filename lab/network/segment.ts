import { run } from '../process/run.ts';
import type { SegmentPlan } from './network-plan.ts';
import {
  mainBridge,
  planWire,
  untouchedWire,
  type WireFault,
  type WireState,
  wireCommands,
} from './wire-plan.ts';

/** A LAN: a bridge in a namespace of its own, out of the reach of the hosts on it. Faults of the wire live here. */
export class Segment {
  readonly plan: SegmentPlan;
  readonly namespace: string;
  readonly #ports = new Set<string>();
  readonly #faults = new Set<WireFault>();
  #state: WireState = untouchedWire;
  #pending: Promise<void> = Promise.resolve();

  constructor(plan: SegmentPlan, namespace: string) {
    this.plan = plan;
    this.namespace = namespace;
  }

  get name(): string {
    return this.plan.name;
  }

  /** The bridge that frames between hosts cross, for captures. */
  get bridge(): string {
    return mainBridge;
  }

  /** Takes new ports into service. */
  async connect(ports: readonly string[]): Promise<void> {
    for (const port of ports) this.#ports.add(port);
    await this.#refresh();
  }

  /** Removes ports and, with them, the NICs at their other ends. */
  async remove(ports: readonly string[]): Promise<void> {
    for (const port of ports) this.#ports.delete(port);
    await this.#refresh();
  }

  async impose(faults: readonly WireFault[]): Promise<void> {
    for (const fault of faults) this.#faults.add(fault);
    await this.#refresh();
  }

  async lift(faults: readonly WireFault[]): Promise<void> {
    for (const fault of faults) this.#faults.delete(fault);
    await this.#refresh();
  }

  /** One change at a time, and each sees what those before it left. */
  async #refresh(): Promise<void> {
    const turn = this.#pending.then(() => this.#apply());
    this.#pending = turn.catch(() => {});
    await turn;
  }

  async #apply(): Promise<void> {
    const wanted = planWire([...this.#ports], [...this.#faults]);
    const commands = wireCommands(this.#state, wanted);
    if (commands !== '')
      await run(['ip', '-n', this.namespace, '-batch', '-'], { input: commands });
    if (wanted.ruleset !== this.#state.ruleset) await this.#drop(wanted.ruleset);
    this.#state = wanted;
  }

  /** One transaction: no frame passes between the old rules and the new. */
  async #drop(ruleset: string): Promise<void> {
    const input = `table netdev lab\ndelete table netdev lab\n${ruleset}`;
    await run(['ip', 'netns', 'exec', this.namespace, 'nft', '-f', '-'], { input });
  }
}
