/** The nodes of a cluster as machines that can be switched off, cut off, and whose agents can be hurt. */

import { cutPort, unplug } from '../faults/cut.ts';
import type { Fault } from '../faults/fault.ts';
import { powerOff } from '../faults/power.ts';
import type { Host } from '../network/host.ts';
import type { Lab } from '../network/lab.ts';
import type { AddressWatch } from './address-watch.ts';
import type { AgentProcess, ClusterPrograms } from './node-programs.ts';

export type LinkState = 'up' | 'unplugged' | 'cut';
export type AgentState = 'running' | 'frozen' | 'stopped';

export interface NodeState {
  readonly name: string;
  /** The segment that it is on. */
  readonly lan: string;
  readonly power: 'on' | 'off';
  readonly link: LinkState;
  readonly agent: AgentState;
}

export interface MachinesOptions {
  readonly lab: Lab;
  readonly programs: ClusterPrograms;
  readonly watch: AddressWatch;
  /** Starts what belongs on a node that has just been switched on. */
  readonly populate: (host: Host) => Promise<void>;
  /** Called after everything that changes a `NodeState`. */
  readonly onChange: () => void;
}

interface Cut {
  readonly state: LinkState;
  readonly fault: Fault;
}

export class Machines {
  readonly #options: MachinesOptions;
  readonly #off = new Map<string, Fault>();
  /** Its programs are being killed: nobody is to take that for the news. */
  readonly #dying = new Set<string>();
  readonly #cuts = new Map<string, Cut>();
  readonly #frozen = new Set<AgentProcess>();

  constructor(options: MachinesOptions) {
    this.#options = options;
  }

  get states(): readonly NodeState[] {
    return this.#options.lab.nodes.map((host) => ({
      name: host.name,
      lan: host.nic().segment.name,
      power: this.#isOff(host.name) ? 'off' : 'on',
      link: this.#cuts.get(host.name)?.state ?? 'up',
      agent: this.#agentState(host.name),
    }));
  }

  /** Nodes that a router would still hear. */
  get reachable(): readonly Host[] {
    const { nodes } = this.#options.lab;
    return nodes.filter(({ name }) => !this.#isOff(name) && !this.#cuts.has(name));
  }

  /** All at once: programs die, the kernel forgets, neighbours hear nothing. */
  async powerOff(node: string): Promise<void> {
    if (this.#off.has(node)) return;
    await this.mendLink(node);
    this.#dying.add(node);
    this.#options.onChange();
    try {
      this.#off.set(node, await powerOff(this.#host(node)));
    } finally {
      this.#dying.delete(node);
      this.#options.watch.forget(node);
      this.#options.onChange();
    }
  }

  /** Boots it empty; its programs start by themselves. */
  async powerOn(node: string): Promise<void> {
    const fault = this.#off.get(node);
    if (fault === undefined) return;
    await fault.heal();
    this.#off.delete(node);
    this.#options.watch.watch(this.#host(node));
    this.#options.onChange();
    await this.#options.populate(this.#host(node));
    this.#options.onChange();
  }

  /** `unplugged`: its kernel sees the carrier go. `cut`: it sees nothing but that nobody answers. */
  async cutLink(node: string, how: Exclude<LinkState, 'up'> = 'unplugged'): Promise<void> {
    if (this.#cuts.has(node)) return;
    const nic = this.#host(node).nic();
    const fault = await (how === 'unplugged' ? unplug(nic) : cutPort(nic));
    this.#cuts.set(node, { state: how, fault });
    this.#options.onChange();
  }

  async mendLink(node: string): Promise<void> {
    await this.#cuts.get(node)?.fault.heal();
    if (this.#cuts.delete(node)) this.#options.onChange();
  }

  /** It stands still, and the kernel of its node goes on answering. */
  freezeAgent(node: string): void {
    const agent = this.#agent(node);
    agent.freeze();
    this.#frozen.add(agent);
    this.#options.onChange();
  }

  continueAgent(node: string): void {
    const agent = this.#agent(node);
    agent.thaw();
    this.#frozen.delete(agent);
    this.#options.onChange();
  }

  /** SIGKILL: it can do nothing about its addresses. */
  async killAgent(node: string): Promise<void> {
    await this.#agent(node).kill();
    this.#options.onChange();
  }

  /** SIGTERM; resolves when it has ended. */
  async stopAgent(node: string): Promise<void> {
    await this.#agent(node).stop();
    this.#options.onChange();
  }

  /** SIGTERM and a new one, as an upgrade does it; or just a new one where there was none. */
  async restartAgent(node: string): Promise<void> {
    const running = this.#options.programs.agents.get(node);
    if (running !== undefined && !running.hasExited) {
      running.thaw();
      this.#frozen.delete(running);
      await running.stop();
      this.#options.onChange();
    }
    await this.#options.programs.startAgent(this.#host(node));
    this.#options.onChange();
  }

  /** All at once, on the nodes that are on. */
  async restartAllAgents(): Promise<void> {
    const on = this.states.filter(({ power }) => power === 'on');
    await Promise.all(on.map(({ name }) => this.restartAgent(name)));
  }

  #isOff(node: string): boolean {
    return this.#off.has(node) || this.#dying.has(node);
  }

  #agentState(node: string): AgentState {
    const agent = this.#options.programs.agents.get(node);
    if (agent === undefined || agent.hasExited) return 'stopped';
    return this.#frozen.has(agent) ? 'frozen' : 'running';
  }

  #agent(node: string): AgentProcess {
    const agent = this.#options.programs.agents.get(node);
    if (agent === undefined || agent.hasExited) throw new Error(`no agent runs on ${node}`);
    return agent;
  }

  #host(node: string): Host {
    return this.#options.lab.host(node);
  }
}
