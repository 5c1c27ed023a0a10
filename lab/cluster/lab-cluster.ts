import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Cluster } from '../../src/kube/cluster.ts';
import type { ClusterConnection } from '../../src/kube/connect-cluster.ts';
import type { KubeObject } from '../../src/model/kube-object.ts';
import type { Clock } from '../../src/runtime/clock.ts';
import type { Host } from '../network/host.ts';
import type { Lab } from '../network/lab.ts';
import { type RouterView, RouterWatch, type RouterWatchOptions } from '../router/router-watch.ts';
import { joinCommand } from '../sandbox.ts';
import { AddressWatch, type PlacedAddress } from './address-watch.ts';
import type { ApiDoors } from './api-doors.ts';
import { askKubelet } from './ask-kubelet.ts';
import { cordon, drain, nodesReady } from './cluster-actions.ts';
import type { ClusterApi } from './cluster-api.ts';
import { create } from './installed-objects.ts';
import { LearnedRoutes, planRoutes } from './learned-routes.ts';
import { Machines, type NodeState } from './machines.ts';
import type { ClusterPrograms, Forwarding } from './node-programs.ts';
import type { Stepper } from './start-cluster.ts';

export interface LabClusterParts {
  readonly lab: Lab;
  readonly api: ClusterApi;
  readonly doors: ApiDoors;
  readonly connection: ClusterConnection;
  readonly clock: Clock;
  readonly programs: ClusterPrograms;
  readonly folder: string;
  readonly kubeconfig: string;
  readonly forwarding: Forwarding;
  readonly allocators: number;
  readonly onError: (error: unknown) => void;
  /** Undefined: the lab itself tells the router where addresses are. */
  readonly bgp?: Pick<RouterWatchOptions, 'kind' | 'router'> | undefined;
}

/** A running cluster: what it is like now, and what can be done to it. */
export class LabCluster implements AsyncDisposable {
  readonly lab: Lab;
  /** The API server as the administrator sees it, whatever is done to the ways that others take. */
  readonly cluster: Cluster;
  readonly api: ClusterApi;
  /** For kubectl, in the sandbox and, if there is a way out of it, in the user's own shell. */
  readonly kubeconfig: string;
  readonly forwarding: Forwarding;
  readonly machines: Machines;
  readonly programs: ClusterPrograms;
  readonly #parts: LabClusterParts;
  readonly #watch: AddressWatch;
  readonly #routes: LearnedRoutes | undefined;
  readonly #routerWatch: RouterWatch | undefined;
  readonly #ending = new AbortController();
  readonly #listeners = new Set<() => void>();
  #background: Promise<void> = Promise.resolve();
  #stopped: Promise<void> | undefined;

  constructor(parts: LabClusterParts) {
    const { lab, programs, clock, onError } = parts;
    this.#parts = parts;
    this.lab = lab;
    this.cluster = parts.connection.cluster;
    this.api = parts.api;
    this.kubeconfig = parts.kubeconfig;
    this.forwarding = parts.forwarding;
    this.programs = programs;
    const onChange = () => this.#tell();
    this.#watch = new AddressWatch({ clock, onError });
    this.#watch.subscribe(onChange);
    const populate = (host: Host) => this.#populate(host);
    this.machines = new Machines({ lab, programs, watch: this.#watch, populate, onChange });
    if (parts.bgp !== undefined) {
      this.#routerWatch = new RouterWatch({ ...parts.bgp, nodes: lab.nodes, onChange, onError });
      return;
    }
    const wanted = () => planRoutes(this.#watch.addresses, this.machines.reachable);
    this.#routes = new LearnedRoutes({ router: lab.router, clock, wanted, onError });
  }

  async start(step: Stepper): Promise<void> {
    const { api, clock, onError } = this.#parts;
    const scheduling = { cluster: this.cluster, clock, random: Math.random, onError };
    for (const host of this.lab.nodes) this.#watch.watch(host);
    this.#background = api.control(scheduling, this.#ending.signal).catch(onError);
    const nodes = this.lab.nodes.map((host) =>
      step(`programs on ${host.name}`, this.#populate(host)),
    );
    const ready = step('nodes ready', nodesReady(this.cluster, nodes.length));
    const router = this.#routerWatch && step('router', this.#routerWatch.start());
    await Promise.all([...nodes, this.#routes?.start(), router, ready]);
  }

  /** Beyond the router. */
  get client(): Host {
    return this.lab.clients.at(-1) ?? this.lab.client;
  }

  get nodes(): readonly NodeState[] {
    return this.machines.states;
  }

  /** Who has which load balancer address, as the nodes' kernels say. */
  get addresses(): readonly PlacedAddress[] {
    return this.#watch.addresses;
  }

  /** The router's sessions and ways; undefined where nodes speak no BGP. */
  get routerView(): RouterView | undefined {
    return this.#routerWatch?.view;
  }

  get isApiAway(): boolean {
    return this.#parts.doors.isShut;
  }

  /** Called whenever `nodes`, `addresses`, `routerView` or `isApiAway` may have changed. */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** For everybody but `cluster`: connections are reset, new ones refused. */
  takeApiAway(): void {
    this.#parts.doors.shut();
    this.#tell();
  }

  giveApiBack(): void {
    this.#parts.doors.unlock();
    this.#tell();
  }

  /** Creates an object of any kind whose plural takes an `s`. */
  async create(object: KubeObject): Promise<KubeObject> {
    return create(this.cluster, object);
  }

  async cordon(node: string): Promise<void> {
    await cordon(this.cluster, node);
  }

  async uncordon(node: string): Promise<void> {
    await cordon(this.cluster, node, false);
  }

  /** Resolves to the pods that were told to go, as `namespace/name`. */
  async drain(node: string): Promise<readonly string[]> {
    return drain(this.cluster, node);
  }

  /** The command that leads from the sandbox into a pod's network; undefined if it runs nowhere. */
  async podEntry(namespace: string, name: string): Promise<readonly string[] | undefined> {
    const on = this.nodes.filter(({ power }) => power === 'on');
    const lists = await Promise.all(
      on.map((node) => askKubelet(this.programs.socketOf(node.name))),
    );
    const found = lists.flat().find((pod) => pod.namespace === namespace && pod.name === name);
    return found?.pid === undefined ? undefined : ['nsenter', '-t', String(found.pid), '-n'];
  }

  /** A shell on a host, with a kubeconfig that works there: for a child of this process. */
  shell(host: string): {
    readonly argv: readonly string[];
    readonly env: Readonly<Record<string, string>>;
  } {
    const { entry } = this.lab.host(host);
    return { argv: [...entry, 'bash'], env: { KUBECONFIG: this.#labKubeconfig, LAB_HOST: host } };
  }

  /** The same as a line to type into another terminal. */
  shellCommand(host: string): string {
    const { argv } = this.shell(host);
    return `${joinCommand()} env KUBECONFIG=${this.#labKubeconfig} ${argv.join(' ')}`;
  }

  async stop(): Promise<void> {
    this.#stopped ??= this.#end();
    await this.#stopped;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  /** By which hosts of the lab reach the API server, as the administrator. */
  get #labKubeconfig(): string {
    return join(this.#parts.folder, 'lab.kubeconfig');
  }

  async #populate(host: Host): Promise<void> {
    const { allocators } = this.#parts;
    const index = this.lab.nodes.indexOf(host);
    await Promise.all([
      this.programs.startKubelet(host),
      this.programs.startAgent(host),
      ...(index < allocators ? [this.programs.startAllocator(host)] : []),
      ...(this.forwarding === 'kube-proxy' ? [this.programs.startKubeProxy(host)] : []),
    ]);
    this.#tell();
  }

  #tell(): void {
    this.#routes?.look();
    for (const listener of this.#listeners) listener();
  }

  async #end(): Promise<void> {
    const { api, doors, connection, folder } = this.#parts;
    this.#listeners.clear();
    this.#ending.abort();
    this.#watch.close();
    await this.#routes?.stop();
    await this.#routerWatch?.[Symbol.asyncDispose]();
    await this.lab[Symbol.asyncDispose]();
    await this.programs.close?.();
    await this.#background;
    doors.close();
    connection.close();
    await api.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}
