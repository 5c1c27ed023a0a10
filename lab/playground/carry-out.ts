/** Does to the cluster what a key or a step of the tour asks for, and says what it does. */

import type { LabCluster } from '../cluster/lab-cluster.ts';
import type { Action, NodeAction, ServiceForm } from './menu.ts';
import { createService, deleteService, echoPort, namespace } from './workload.ts';

/** Services by the order in which they came. */
export class Experiments {
  readonly #cluster: LabCluster;
  readonly #services: string[] = [];
  #made = 0;

  constructor(cluster: LabCluster) {
    this.#cluster = cluster;
  }

  /** `namespace/name` of the Service that was made last. */
  get newest(): string {
    return `${namespace}/${this.#services.at(-1) ?? ''}`;
  }

  /** What it is about to do, in words; undefined if there is nothing to do. */
  describe(action: Action): string | undefined {
    if ('node' in action) {
      return action.kind === 'shell' ? undefined : `You ${sentences[action.kind](action.node)}.`;
    }
    switch (action.kind) {
      case 'new Service':
        return `You create a Service, ${action.form}.`;
      case 'delete Service':
        return this.#services.length === 0 ? undefined : `You delete ${this.#services.at(-1)}.`;
      case 'restart agents':
        return 'You restart all agents at once, as an upgrade would.';
      case 'API':
        return this.#cluster.isApiAway
          ? 'You give the API server back.'
          : 'You take the API server away.';
      case 'picture':
      case 'quit':
        return undefined;
      default:
        return action satisfies never;
    }
  }

  async carryOut(action: Action): Promise<void> {
    if ('node' in action) return this.#toNode(action.kind, action.node);
    switch (action.kind) {
      case 'new Service':
        return this.#create(action.form);
      case 'delete Service':
        return this.#deleteLast();
      case 'restart agents':
        return this.#cluster.machines.restartAllAgents();
      case 'API':
        return this.#toggleApi();
      case 'picture':
      case 'quit':
        return;
      default:
        action satisfies never;
    }
  }

  async #create(form: ServiceForm): Promise<void> {
    this.#made += 1;
    const name = `${form.split(' ')[0]}-${this.#made}`;
    // Those that share an address need ports of their own.
    await createService(
      this.#cluster,
      name,
      form,
      form === 'shared' ? echoPort + this.#made : echoPort,
    );
    this.#services.push(name);
  }

  async #deleteLast(): Promise<void> {
    const name = this.#services.pop();
    if (name !== undefined) await deleteService(this.#cluster, name);
  }

  #toggleApi(): void {
    if (this.#cluster.isApiAway) this.#cluster.giveApiBack();
    else this.#cluster.takeApiAway();
  }

  async #toNode(kind: NodeAction, node: string): Promise<void> {
    const { machines } = this.#cluster;
    switch (kind) {
      case 'power off':
        return machines.powerOff(node);
      case 'cut':
        return machines.cutLink(node);
      case 'freeze agent':
        return machines.freezeAgent(node);
      case 'kill agent':
        return machines.killAgent(node);
      case 'drain':
        await this.#cluster.drain(node);
        return;
      case 'bring back':
        return this.#bringBack(node);
      case 'shell':
        return;
      default:
        kind satisfies never;
    }
  }

  /** Whatever was done to it. */
  async #bringBack(node: string): Promise<void> {
    const { machines } = this.#cluster;
    await machines.mendLink(node);
    await machines.powerOn(node);
    const state = machines.states.find(({ name }) => name === node);
    if (state?.agent === 'frozen') machines.continueAgent(node);
    if (state?.agent === 'stopped') await machines.restartAgent(node);
    await this.#cluster.uncordon(node);
  }
}

const sentences: Readonly<Record<Exclude<NodeAction, 'shell'>, (node: string) => string>> = {
  'power off': (node) => `cut the power of ${node}`,
  cut: (node) => `pull the cable of ${node}`,
  'freeze agent': (node) => `freeze the agent of ${node}`,
  'kill agent': (node) => `kill the agent of ${node}`,
  drain: (node) => `drain ${node}`,
  'bring back': (node) => `bring ${node} back`,
};
