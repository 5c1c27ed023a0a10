/** Nodes whose agents speak BGP, each with a gobgpd beside it, and a router that learns from them. */

import assert from 'node:assert/strict';
import type { Audit } from '../../lab/api/audit.ts';
import { startApi } from '../../lab/api/start-api.ts';
import { eventually } from '../../lab/eventually.ts';
import { readManifest, resourceOf } from '../../lab/manifest.ts';
import type { Host } from '../../lab/network/host.ts';
import type { NetworkPlan } from '../../lab/network/network-plan.ts';
import { Bird } from '../../lab/router/bird.ts';
import { Frr } from '../../lab/router/frr.ts';
import { Gobgpd } from '../../lab/router/gobgpd.ts';
import {
  nodesAsn,
  type Router,
  type RouterOptions,
  routerAsn,
  waysTo,
} from '../../lab/router/router.ts';
import { GobgpSpeaker } from '../../src/gobgp/gobgp-speaker.ts';
import { jsonPatch } from '../../src/kube/patch.ts';
import { bgpConfigurations, bgpNodeStatuses } from '../../src/kube/resources.ts';
import type { Family } from '../../src/model/ip.ts';
import type { KubeObject } from '../../src/model/kube-object.ts';
import type { PeerReading } from '../../src/model/speaker.ts';
import { SystemClock } from '../../src/runtime/system-clock.ts';
import { AgentWorld, installNamespace } from './agent-world.ts';

export type RouterKind = 'frr' | 'bird';

export interface BgpWorldOptions {
  readonly router: RouterKind;
  readonly nodes?: number;
  /** By which family nodes reach the router; IPv4 by default. Over IPv6, IPv4 routes lead to IPv6 addresses (RFC 8950). */
  readonly sessions?: Family;
  /** For other shapes, instead of `nodes`. */
  readonly plan?: NetworkPlan;
  /** Of the router. */
  readonly routerOptions?: Partial<RouterOptions>;
  /** ServiceGroups beyond the usual ones. */
  readonly groups?: Readonly<Record<string, object>>;
}

/** Where gobgpd tells them unless it is told not to. */
const gobgpdMetrics = 'http://127.0.0.1:6060/metrics';

const startRouter = { frr: Frr.start, bird: Bird.start } as const;

export class BgpWorld implements AsyncDisposable {
  readonly world: AgentWorld;
  readonly router: Router;
  readonly audit: Audit;
  readonly #sessions: Family;
  readonly #daemons = new Map<number, Gobgpd>();

  static async open(options: BgpWorldOptions): Promise<BgpWorld> {
    const { nodes = 3, router: kind, routerOptions = {}, groups, plan, sessions } = options;
    const api = await startApi({ rbac: true });
    const shape = plan === undefined ? { nodes } : { plan };
    const world = await AgentWorld.open({
      ...shape,
      api: async () => api,
      agents: [],
      ...(groups && { groups }),
    });
    try {
      const lans = ['192.0.2.0/24', '2001:db8:1::/64'];
      const host = world.lab.router;
      const router = await startRouter[kind]({ host, nodes: lans, ...routerOptions });
      const opened = new BgpWorld(world, router, api.audit, sessions);
      await opened.#prepare();
      return opened;
    } catch (error) {
      await world[Symbol.asyncDispose]();
      throw error;
    }
  }

  private constructor(world: AgentWorld, router: Router, audit: Audit, sessions?: Family) {
    this.world = world;
    this.router = router;
    this.audit = audit;
    this.#sessions = sessions ?? 'ipv4';
  }

  /** By which nodes know the router. */
  get routerAddress(): string {
    return this.router.host.address(this.#sessions);
  }

  get numbers(): readonly number[] {
    return this.world.lab.nodes.map((_, index) => index + 1);
  }

  daemon(number: number): Gobgpd {
    const found = this.#daemons.get(number);
    if (found === undefined) throw new RangeError(`there is no gobgpd on node${number}`);
    return found;
  }

  /** With the daemon's own metrics passed on, as a person may want them. */
  async startAgent(number: number, args: readonly string[] = []): Promise<void> {
    const { endpoint } = this.daemon(number);
    const told = ['--gobgp-endpoint', endpoint, '--gobgpd-metrics', gobgpdMetrics, ...args];
    await this.world.startAgent(number, told);
  }

  /** A configuration with this node's router, and the rest as given. */
  async configure(spec: object = {}, name = 'default'): Promise<void> {
    const metadata = { name, namespace: installNamespace };
    await this.world.cluster.create(bgpConfigurations, { metadata, spec: this.usual(spec) });
  }

  usual(spec: object = {}): object {
    return {
      global: {
        asn: nodesAsn,
        listenPort: -1,
        gracefulRestart: { enabled: true, restartTime: 20 },
      },
      neighbors: [this.neighbor()],
      netlinkImport: { enabled: true, interfaceList: ['kube-lb0'] },
      ...spec,
    };
  }

  /** The router of this node as a neighbour, with more than usual. */
  neighbor(config: object = {}, more: object = {}): object {
    const neighbor = { peerAsn: routerAsn, neighborAddress: this.routerAddress, ...config };
    const timers = { config: { connectRetry: 1, holdTime: 6, keepaliveInterval: 2 } };
    return { config: neighbor, timers, ...more };
  }

  async reconfigure(spec: object, name = 'default'): Promise<void> {
    const patch = jsonPatch({ op: 'replace', path: '/spec', value: this.usual(spec) });
    await this.world.cluster.patch(bgpConfigurations, { namespace: installNamespace, name }, patch);
  }

  /** The first session of a node's daemon, without the agent. */
  async session(number: number): Promise<Partial<PeerReading>> {
    const speaker = new GobgpSpeaker({
      endpoint: this.daemon(number).endpoint,
      clock: new SystemClock(),
    });
    try {
      return (await speaker.read()).peers[0] ?? {};
    } finally {
      speaker.close();
    }
  }

  /** The routes that FRR has for a prefix, by the node that sent them: `node1 64500 64500 med=50 64500:100`. */
  async routes(prefix: string): Promise<readonly string[]> {
    assert.ok(this.router instanceof Frr);
    const family = prefix.includes(':') ? 'ipv6' : 'ipv4';
    const text = await this.router.show(`show bgp ${family} unicast ${prefix} json`);
    const { paths = [] } = JSON.parse(text) as { paths?: readonly FrrPath[] };
    return paths.map((path) => describeRoute(path, this.world.lab.nodes)).sort();
  }

  async ways(prefix: string): Promise<readonly string[]> {
    return waysTo(this.router.host, prefix);
  }

  /** Resolves when the router's kernel sends packets for the prefix to just these nodes. */
  async leadsTo(prefix: string, numbers: readonly number[], withinMs = 30_000): Promise<void> {
    const family = prefix.includes(':') ? 'ipv6' : this.#sessions;
    const wanted = numbers.map((number) => this.world.lab.node(number).address(family)).sort();
    await eventually(async () => assert.deepEqual(await this.ways(prefix), wanted, prefix), {
      withinMs,
      everyMs: 50,
    });
  }

  async nodeStatus(number: number): Promise<NodeStatus> {
    const found = await this.world.cluster.get(bgpNodeStatuses, { name: `node${number}` });
    return found.status as NodeStatus;
  }

  async conditions(name = 'default'): Promise<readonly string[]> {
    const ref = { namespace: installNamespace, name };
    const { status } = await this.world.cluster.get(bgpConfigurations, ref);
    const { conditions = [] } = (status ?? {}) as { conditions?: readonly ConditionText[] };
    return conditions.map(({ type, status: is, reason, message }) => {
      return `${type}=${is} ${reason}: ${message}`;
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.router[Symbol.asyncDispose]();
    await this.world[Symbol.asyncDispose]();
    for (const daemon of this.#daemons.values()) await daemon[Symbol.asyncDispose]();
  }

  async #prepare(): Promise<void> {
    const { cluster } = this.world;
    const manifests = [
      'crds/bgp.purelb.io_bgpconfigurations',
      'crds/bgp.purelb.io_bgpnodestatuses',
      'bgp/rbac',
    ];
    for (const object of manifests.flatMap(readManifest)) {
      await cluster.create(resourceOf(object), object);
    }
    await eventually(async () => this.#areKindsServed(), { withinMs: 20_000 });
    for (const number of this.numbers) {
      const { entry } = this.world.lab.node(number);
      this.#daemons.set(number, await Gobgpd.start({ entry, hasMetrics: true }));
    }
    await Promise.all(this.numbers.map((number) => this.startAgent(number)));
  }

  async #areKindsServed(): Promise<void> {
    for (const resource of [bgpConfigurations, bgpNodeStatuses]) {
      for await (const _ of this.world.cluster.list<KubeObject>(resource));
    }
  }
}

interface FrrPath {
  readonly aspath?: { readonly string?: string };
  readonly metric?: number;
  readonly locPrf?: number;
  readonly community?: { readonly string?: string };
  readonly largeCommunity?: { readonly string?: string };
  readonly peer?: { readonly peerId?: string };
}

function describeRoute(path: FrrPath, nodes: readonly Host[]): string {
  const { aspath, metric, locPrf, community, largeCommunity, peer } = path;
  const sender = nodes.find(({ ipv4, ipv6 }) => peer?.peerId === ipv4 || peer?.peerId === ipv6);
  return [
    sender?.name ?? peer?.peerId,
    aspath?.string === 'Local' ? '' : aspath?.string,
    metric === undefined ? '' : `med=${metric}`,
    locPrf === undefined ? '' : `local-pref=${locPrf}`,
    community?.string,
    largeCommunity?.string,
  ]
    .filter((word) => word !== undefined && word !== '')
    .join(' ');
}

interface ConditionText {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
}

export interface NodeStatus {
  readonly nodeName: string;
  readonly routerID?: string;
  readonly healthy?: boolean;
  readonly neighborCount: number;
  readonly neighbors?: readonly {
    readonly address: string;
    readonly state: string;
    readonly prefixesSent: number;
    readonly prefixesReceived: number;
    readonly lastError?: string;
  }[];
  readonly rib?: { readonly localRouteCount: number; readonly receivedRouteCount: number };
  readonly netlinkImport?: {
    readonly importedAddresses: readonly { readonly address: string; readonly inRIB: boolean }[];
  };
  readonly netlinkExport?: { readonly totalExported: number } | null;
  readonly conditions?: readonly ConditionText[];
}
