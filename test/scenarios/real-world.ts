/** The agents' world on a real kube-apiserver: with an allocator, a kube-proxy on each node, and pods that answer. */

import type { ControlPlane } from '../../lab/control-plane/control-plane.ts';
import { kubeProxyCommand } from '../../lab/control-plane/kube-proxy.ts';
import { eventually } from '../../lab/eventually.ts';
import { allPods } from '../../lab/network/address-plan.ts';
import type { Host } from '../../lab/network/host.ts';
import type { Lab } from '../../lab/network/lab.ts';
import { planCluster } from '../../lab/network/plan-cluster.ts';
import { withPods } from '../../lab/network/plan-pods.ts';
import { startResponder } from '../../lab/traffic/responder.ts';
import type { HttpCluster } from '../../src/kube/http-cluster.ts';
import { endpointSlices, serviceGroups, services } from '../../src/kube/resources.ts';
import type { ChildAllocator } from '../allocator/test-allocator.ts';
import { AgentWorld, installNamespace } from './agent-world.ts';
import { startAllocator, startRealApi } from './start-allocator.ts';

export type ProxyMode = 'nftables' | 'iptables';

export interface RealWorldOptions {
  readonly mode: ProxyMode;
  /** Nodes on each LAN; a second LAN has one unless told otherwise. */
  readonly nodes?: readonly number[];
  readonly groups?: Readonly<Record<string, object>>;
  /** For how long kube-proxy gathers changes; short unless told otherwise. */
  readonly minSyncPeriod?: string;
}

export const backendPort = 8080;
/** A node that died is missed after so long: the tests wait for it. */
const agentArguments = ['--lease-duration', '3s'];
const proxyUser = 'system:kube-proxy';

export class RealWorld implements AsyncDisposable {
  readonly agents: AgentWorld;
  readonly controlPlane: ControlPlane;
  readonly #options: RealWorldOptions;
  #allocator: ChildAllocator | undefined;

  static async open(options: RealWorldOptions): Promise<RealWorld> {
    const { nodes = [3, 1], groups } = options;
    const controlPlane = await startRealApi();
    const agents = await AgentWorld.open({
      api: async () => controlPlane,
      plan: withPods(planCluster({ nodes, clients: ['lan1', 'outside'] })),
      hasAllocator: true,
      agents: [],
      ...(groups === undefined ? {} : { groups }),
    });
    const world = new RealWorld(agents, controlPlane, options);
    try {
      await world.#start();
      return world;
    } catch (error) {
      await world[Symbol.asyncDispose]();
      throw error;
    }
  }

  private constructor(agents: AgentWorld, controlPlane: ControlPlane, options: RealWorldOptions) {
    this.agents = agents;
    this.controlPlane = controlPlane;
    this.#options = options;
  }

  get lab(): Lab {
    return this.agents.lab;
  }

  get cluster(): HttpCluster {
    return this.agents.cluster;
  }

  /** Clients on the nodes' LAN and beyond the router. */
  get clients(): { readonly near: Host; readonly far: Host } {
    return { near: this.lab.host('client1'), far: this.lab.host('client2') };
  }

  get allocatorLines(): readonly string[] {
    return this.#allocator?.lines ?? [];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#allocator?.stop();
    await this.agents[Symbol.asyncDispose]();
  }

  async #start(): Promise<void> {
    const starting = startAllocator(this.agents);
    await Promise.all(this.lab.nodes.map((_, index) => this.#startNode(index + 1)));
    this.#allocator = await starting;
    for (const family of ['ipv4', 'ipv6']) {
      await this.lab.router.sysctl(`net/${family}/fib_multipath_hash_policy`, 1);
    }
    await this.agents.members(this.lab.nodes.length);
  }

  async #startNode(number: number): Promise<void> {
    const pod = this.lab.host(`pod${number}`);
    await Promise.all([
      startResponder(pod, { port: backendPort, tellsPeer: true }),
      this.startAgent(number),
      this.#startProxy(number),
    ]);
  }

  async startAgent(number: number): Promise<void> {
    await this.agents.startAgent(number, agentArguments);
  }

  async #startProxy(number: number): Promise<void> {
    const host = this.lab.node(number);
    const { dir } = this.controlPlane;
    const { mode, minSyncPeriod } = this.#options;
    const command = kubeProxyCommand({
      kubeconfig: this.agents.kubeconfig(proxyUser),
      node: host.name,
      dir,
      mode,
      podCidrs: allPods,
      ...(minSyncPeriod === undefined ? {} : { minSyncPeriod }),
    });
    await host.start(command, {
      logFile: `${dir}/${host.name}.log`,
      // One that ended, for whatever reason, would only show as addresses that refuse connections.
      ready: /Caches are synced.*endpoint slice config/,
      readyWithinMs: 30_000,
    });
  }

  /** After its power was cut. */
  async boot(number: number): Promise<void> {
    await this.agents.openDoor(this.lab.node(number));
    await Promise.all([this.startAgent(number), this.#startProxy(number)]);
  }

  /** Everything that people make; resolves when it is gone, and the addresses with it. */
  async clear(): Promise<void> {
    for (const resource of [services, endpointSlices]) {
      for await (const { items } of this.cluster.list(resource, { namespace: 'shop' })) {
        for (const { metadata } of items) {
          await this.cluster.delete(resource, { namespace: 'shop', name: metadata.name });
        }
      }
    }
    await eventually(() => this.#isEmpty(), { withinMs: 20_000 });
  }

  async #isEmpty(): Promise<void> {
    for await (const { items } of this.cluster.list(services, { namespace: 'shop' })) {
      const left = items.map(({ metadata }) => metadata.name);
      if (left.length > 0) throw new Error(`Services that are left: ${left.join(', ')}`);
    }
    for (const host of this.lab.nodes) {
      const [own = '', ...others] = await ourAddresses(host);
      if (own !== '') throw new Error(`${host.name} still has ${[own, ...others].join(', ')}`);
    }
  }

  /** As a person who writes the older version of the API. */
  async groupV1(name: string, spec: object): Promise<void> {
    const metadata = { name, namespace: installNamespace };
    const v1 = { ...serviceGroups, version: 'v1' };
    await this.cluster.create(v1, { apiVersion: 'purelb.io/v1', metadata, spec });
  }
}

/** What the plan did not give it. */
async function ourAddresses(host: Host): Promise<readonly string[]> {
  const planned = new Set<string>(
    host.nics.flatMap(({ plan }) => plan.addresses).map(({ ip, length }) => `${ip}/${length}`),
  );
  const links = (await host.links()).filter(({ name }) => name !== 'kube-ipvs0');
  return links.flatMap(({ addresses }) => addresses).filter((address) => !planned.has(address));
}
