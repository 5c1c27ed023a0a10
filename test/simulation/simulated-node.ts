/** A machine with a kernel, a link on the segment, and an agent that runs, stands still, dies and starts again. */

import { Agent } from '../../src/agent/agent.ts';
import { AgentMetrics } from '../../src/agent/agent-metrics.ts';
import { KeyRing } from '../../src/agent/key-ring.ts';
import { EventRecorder } from '../../src/kube/event-recorder.ts';
import { HttpCluster } from '../../src/kube/http-cluster.ts';
import { FakeFilter, FakeGuard } from '../../src/linux/fake-guard.ts';
import type { FakeHost } from '../../src/linux/fake-host.ts';
import type { FakeKernel } from '../../src/linux/fake-kernel.ts';
import { FakeNeighbours } from '../../src/linux/fake-neighbours.ts';
import type { FakeNic } from '../../src/linux/fake-nic.ts';
import type { FakeSegment } from '../../src/linux/fake-segment.ts';
import type { AddressChange } from '../../src/model/address.ts';
import type { Ip } from '../../src/model/ip.ts';
import type { Mac } from '../../src/model/mac.ts';
import type { Clock } from '../../src/runtime/clock.ts';
import { Log } from '../../src/runtime/log.ts';
import { Metrics } from '../../src/runtime/metrics.ts';
import { ipsOfNode } from './address-plan.ts';
import { bootMachine, type NodeTraits, secondNicIndex } from './boot-machine.ts';
import { Chance } from './chance.ts';
import type { Connect, Connection } from './memory-connection.ts';
import { ProcessClock } from './process-clock.ts';
import { ProcessKernel } from './process-kernel.ts';
import type { HintNetwork } from './simulated-hints.ts';
import { SimulatedKeys } from './simulated-keys.ts';

export interface NodeSetup {
  readonly number: number;
  readonly clock: Clock;
  readonly segment: FakeSegment;
  readonly hints: HintNetwork;
  readonly connect: Connect;
  /** Whether there is a way to it now. */
  readonly reachesApi: (nic: FakeNic) => boolean;
  readonly random: () => number;
  readonly traits?: NodeTraits | undefined;
  readonly isUnaudited?: boolean | undefined;
}

function throwLater(line: string): void {
  queueMicrotask(() => {
    throw new Error(line);
  });
}

interface AgentProcess {
  readonly agent: Agent;
  readonly clock: ProcessClock;
  readonly neighbours: FakeNeighbours;
  readonly connection: Connection;
  readonly stopping: AbortController;
  readonly ended: Promise<void>;
}

export class SimulatedNode {
  readonly name: string;
  readonly log: string[] = [];
  /** The packet filter of its kernel. */
  readonly filter = new FakeFilter();
  readonly keys = new SimulatedKeys();
  skewMs = 0;
  /** Agents that are started from now on are of a former version. */
  isFormerVersion = false;
  onLog: (line: string) => void = () => {};
  /** An audit found a kept decision out of date. Unless somebody listens, that is an error of whatever runs. */
  onStale: (line: string) => void = throwLater;
  /** Told of everything that the agent wants changed in the kernel. */
  onChanges: (changes: readonly AddressChange[]) => void = () => {};
  readonly #setup: NodeSetup;
  /** Apart from all other chance: a history is the same however much is asked. */
  readonly #numbers: Chance;
  #kernel: FakeKernel;
  #host: FakeHost;
  #nic: FakeNic;
  #process: AgentProcess | undefined;
  #started = 0;
  #startedAt = Infinity;
  #isStunned = false;
  #isFrozen = false;
  #changes = 0;
  #isCutFromApi = false;

  constructor(setup: NodeSetup) {
    this.#setup = setup;
    this.#numbers = new Chance(setup.number);
    this.name = `node${setup.number}`;
    ({ kernel: this.#kernel, host: this.#host, nic: this.#nic } = bootMachine(setup));
  }

  get isOn(): boolean {
    return this.#host.isAlive || this.#isStunned;
  }

  /** As of a machine that is paused. */
  get isStunned(): boolean {
    return this.#isStunned;
  }

  /** Whether its kernel hears and answers. */
  get isAwake(): boolean {
    return this.#host.isAlive;
  }

  /** Processes so far. */
  get started(): number {
    return this.#started;
  }

  /** When the agent that runs now was started; `Infinity`: none. */
  get startedAt(): number {
    return this.#process === undefined ? Infinity : this.#startedAt;
  }

  /** As long as it stays the same, so does everything about the machine. */
  get revision(): number {
    return this.#changes + this.#kernel.machine.revision;
  }

  get agent(): Agent | undefined {
    return this.#process?.agent;
  }

  get isAgentRunning(): boolean {
    return this.#process?.clock.isRunning === true;
  }

  get kernel(): FakeKernel {
    return this.#kernel;
  }

  /** Whether the MAC is one of its own. */
  hasMac(mac: Mac): boolean {
    return this.#nic.mac === mac || this.#host.nic(secondNicIndex)?.mac === mac;
  }

  get nic(): FakeNic {
    return this.#nic;
  }

  /** Addresses of Services on its link: what its kernel answers for. */
  holds(ip: Ip): boolean {
    return this.isOn && this.#nic.addresses.has(ip);
  }

  /** Whether a packet to it that arrives is answered. */
  answers(ip: Ip): boolean {
    return this.isAwake && this.#nic.isUp && this.#host.holds(ip);
  }

  startAgent(): void {
    if (this.#process !== undefined || !this.isOn) return;
    this.#started += 1;
    this.#startedAt = this.#setup.clock.monotonic();
    this.#isFrozen = false;
    this.#changes += 1;
    this.#process = this.#launch();
    if (this.#isStunned) this.#pause();
  }

  /** SIGKILL: the kernel keeps what it has. */
  killAgent(): void {
    const running = this.#process;
    if (running === undefined) return;
    this.#process = undefined;
    this.#changes += 1;
    running.clock.die();
    running.connection.die();
    running.neighbours.close();
    running.stopping.abort();
  }

  /** SIGTERM. */
  async stopAgent(): Promise<void> {
    const running = this.#process;
    this.#process = undefined;
    this.#changes += 1;
    running?.stopping.abort();
    await running?.ended;
  }

  /** SIGSTOP. */
  stall(): void {
    this.#isFrozen = true;
    this.#changes += 1;
    this.#pause();
  }

  /** SIGCONT. */
  resume(): void {
    this.#isFrozen = false;
    this.#changes += 1;
    this.#goOn();
  }

  #pause(): void {
    const running = this.#process;
    if (running === undefined) return;
    running.neighbours.isStalled = true;
    running.clock.stall();
  }

  #goOn(): void {
    const running = this.#process;
    if (running === undefined || this.#isFrozen || this.#isStunned) return;
    running.clock.resume();
    running.neighbours.isStalled = false;
  }

  /** The machine stands still, its kernel too: a snapshot, or a move to another host. */
  stun(): void {
    if (!this.isAwake) return;
    this.#isStunned = true;
    this.#changes += 1;
    this.#host.isAlive = false;
    this.#pause();
  }

  endStun(): void {
    if (!this.#isStunned) return;
    this.#isStunned = false;
    this.#changes += 1;
    this.#host.isAlive = true;
    this.#goOn();
  }

  powerOff(): void {
    this.killAgent();
    this.#isStunned = false;
    this.#changes += 1;
    this.#host.isAlive = false;
    this.#nic.remove(this.#setup.clock.monotonic());
  }

  /** With nothing of ours, as a kernel starts. */
  powerOn(): void {
    if (this.isOn) return;
    this.#changes += this.#kernel.machine.revision + 1;
    ({ kernel: this.#kernel, host: this.#host, nic: this.#nic } = bootMachine(this.#setup));
    this.startAgent();
  }

  /** As pulling the cable: the kernel knows. */
  setCarrier(hasCarrier: boolean): void {
    this.#kernel.machine.setCarrier('eth0', hasCarrier);
  }

  /** No request gets through, and no event of a watch, until `reconnectToApi`. */
  cutFromApi(): void {
    this.#isCutFromApi = true;
  }

  reconnectToApi(): void {
    this.#isCutFromApi = false;
  }

  get isCutFromApi(): boolean {
    return this.#isCutFromApi;
  }

  #launch(): AgentProcess {
    const { clock: world, connect, random, number, hints } = this.#setup;
    const clock = new ProcessClock(world, () => this.skewMs);
    const identifier = number * 1000 + this.#started;
    const neighbours = new FakeNeighbours({ host: this.#host, clock, identifier });
    const isOpen = () => !this.#isCutFromApi && this.#setup.reachesApi(this.#nic);
    const connection = connect({ clock, isOpen, isFormerVersion: this.isFormerVersion });
    const cluster = new HttpCluster({ transport: connection, clock });
    const instance = `${this.name}-${this.#started}`;
    const reporter = { controller: 'purelb-lbnodeagent', instance: this.name };
    const agent = new Agent({
      cluster,
      kernel: new ProcessKernel(this.#kernel, clock, (changes) => this.onChanges(changes)),
      neighbours,
      guard: new FakeGuard(this.filter),
      datagrams: hints.open(this.#nic, ipsOfNode(number), clock, () => this.isAwake),
      keys: this.isFormerVersion ? new KeyRing() : this.keys.open(clock),
      events: new EventRecorder({ cluster, clock, random, ...reporter }),
      clock,
      pulse: { boot: () => clock.monotonic(), busy: () => 0 },
      random,
      drawNumber: () => this.#numbers.below(2 ** 32),
      log: this.#makeLog(world),
      metrics: new AgentMetrics(new Metrics(() => {})),
      node: this.name,
      installNamespace: 'purelb-system',
      instance,
      leaseDurationMs: 10_000,
      auditsEveryPass: this.#setup.isUnaudited !== true,
      daemonSet: '',
      apiServers: [],
    });
    const stopping = new AbortController();
    // What a dead process was about to do is nobody's concern.
    const ended = this.#run(agent, stopping.signal).catch(() => {});
    return { agent, clock, neighbours, connection, stopping, ended };
  }

  async #run(agent: Agent, signal: AbortSignal): Promise<void> {
    await agent.adopt();
    await agent.run(signal);
  }

  #makeLog(world: Clock): Log {
    const sink = (line: string) => {
      this.log.push(line);
      this.onLog(line);
      if (line.includes('"op":"auditDifference"')) this.onStale(`${this.name}: ${line}`);
    };
    return Log.create({ level: 'info', sink, now: () => world.now() });
  }
}
