/** A cluster on one thread and a clock of its own: real agents, kernels and wires in memory, an API server, a client. */

import { Api } from '../../lab/api/api.ts';
import type { ApiRequest } from '../../lab/api/api-request.ts';
import { onNode } from '../../lab/api/auth/authenticator.ts';
import { FaultyApi } from '../../lab/api/faults/faulty-api.ts';
import { seededIdentities } from '../../lab/api/rest/identities.ts';
import { collectionPath, policyManifests, readManifest } from '../../lab/manifest.ts';
import { FakeHost } from '../../src/linux/fake-host.ts';
import type { FakeNic } from '../../src/linux/fake-nic.ts';
import { FakeSegment } from '../../src/linux/fake-segment.ts';
import { type Ip, ipOf } from '../../src/model/ip.ts';
import type { KubeObject } from '../../src/model/kube-object.ts';
import { macOf } from '../../src/model/mac.ts';
import { ManualClock } from '../../src/runtime/manual-clock.ts';
import { defaultGroup, gateways, ipsOfNode } from './address-plan.ts';
import { addGateway, type NodeTraits } from './boot-machine.ts';
import { connectInMemory } from './memory-connection.ts';
import { SimulatedClient } from './simulated-client.ts';
import { HintNetwork } from './simulated-hints.ts';
import { SimulatedNode } from './simulated-node.ts';

const agentUser = 'system:serviceaccount:purelb-system:lbnodeagent';
/** Read once: a campaign makes hundreds of clusters. */
const manifests = [
  'crds/purelb.io_servicegroups',
  'crds/purelb.io_lbnodeagents',
  'rbac/agent',
  ...policyManifests,
].flatMap(readManifest);

export interface SimulationOptions {
  readonly seed: number;
  readonly nodes: number;
  /** The client sends packets too, beside working out whether they would be answered. */
  readonly pingEveryMs?: number;
  readonly traits?: NodeTraits;
  /** Nodes are in two zones. */
  readonly zones?: boolean;
  /** Nodes reach the API server by the network that local addresses are on. */
  readonly isApiInBand?: boolean;
  /** A router answers for every IPv4 address, if it is not the client that asks. */
  readonly proxyArp?: boolean;
  /** For how long kernels keep addresses without an agent; as by default if left out. */
  readonly lifetimeSeconds?: number;
  /** Agents do not decide about everything again after each pass, to find out whether what they keep is up to date. */
  readonly isUnaudited?: boolean;
}

export class Simulation {
  readonly clock = new ManualClock();
  readonly faults: FaultyApi;
  readonly segment: FakeSegment;
  readonly hints: HintNetwork;
  readonly client: SimulatedClient;
  readonly nodes: readonly SimulatedNode[];
  readonly proxy: FakeNic | undefined;
  readonly #api: Api;
  readonly #admin: string;
  readonly #ips = new Set<Ip>();

  constructor(options: SimulationOptions) {
    const { seed, nodes, pingEveryMs, traits, zones, proxyArp, lifetimeSeconds } = options;
    const { clock } = this;
    const identities = seededIdentities(seed);
    const random = () => identities.pick(2 ** 32) / 2 ** 32;
    this.#api = new Api({ clock, identities, rbac: true });
    this.faults = new FaultyApi(this.#api, clock, seed);
    this.#admin = this.#api.authenticator.issue('admin', ['system:masters']);
    this.segment = new FakeSegment({ clock });
    const gateway = addGateway(this.segment);
    const reachesApi = (nic: FakeNic) => options.isApiInBand !== true || this.isOpen(nic, gateway);
    const latencyMs = () => 1 + random() * 5;
    this.hints = new HintNetwork(clock, this.segment);
    const api = { exchange: (request: ApiRequest) => this.#exchange(request) };
    const world = { clock, segment: this.segment, hints: this.hints, reachesApi };
    const { isUnaudited } = options;
    const common = { ...world, random, traits, isUnaudited };
    const numbers = Array.from({ length: nodes }, (_, index) => index + 1);
    this.nodes = numbers.map((number) => {
      const token = this.#api.authenticator.issue(
        agentUser,
        [],
        undefined,
        onNode(`node${number}`),
      );
      const connect = connectInMemory({ api, token, latencyMs });
      return new SimulatedNode({ ...common, connect, number });
    });
    const answers = (ip: Ip, nic: FakeNic) => this.#isAnswered(ip, nic);
    this.client = new SimulatedClient(clock, this.segment, answers, pingEveryMs);
    clock.onStep = () => this.#step();
    if (proxyArp === true) this.proxy = addProxy(this.segment);
    this.#prepare(zones === true);
    if (lifetimeSeconds !== undefined) this.configure(lifetimeSeconds);
  }

  /** An LBNodeAgent with this lifetime; 0 is for ever. */
  configure(lifetimeSeconds: number, failover: Readonly<Record<string, string>> = {}): void {
    const lifetimes = { validLifetime: lifetimeSeconds, preferredLifetime: lifetimeSeconds };
    this.send('POST', '/apis/purelb.io/v2/namespaces/purelb-system/lbnodeagents', {
      apiVersion: 'purelb.io/v2',
      kind: 'LBNodeAgent',
      metadata: { name: 'default' },
      spec: { local: { addressConfig: { localInterface: lifetimes }, failover } },
    });
  }

  node(number: number): SimulatedNode {
    const found = this.nodes[number - 1];
    if (found === undefined) throw new RangeError(`there is no node ${number}`);
    return found;
  }

  /** Starts all agents and lets them settle. */
  async start(): Promise<void> {
    for (const node of this.nodes) node.startAgent();
    await this.clock.advance(8_000);
  }

  /** A Service with its addresses, as the allocator would write it. */
  serve(name: string, ...ips: readonly string[]): void {
    for (const ip of ips) this.#refuseNodes(ipOf(ip));
    const families = ips.map((ip) => (ip.includes(':') ? 'IPv6' : 'IPv4'));
    this.send('POST', '/api/v1/namespaces/shop/services', {
      metadata: { name },
      spec: {
        type: 'LoadBalancer',
        ports: [{ port: 80 }],
        ipFamilies: families,
        ipFamilyPolicy: families.length > 1 ? 'RequireDualStack' : 'SingleStack',
      },
    });
    const annotations = {
      'purelb.io/allocated-by': 'PureLB',
      'purelb.io/allocated-from': 'default',
      'purelb.io/pool-type': 'local',
    };
    const status = { loadBalancer: { ingress: ips.map((ip) => ({ ip })) } };
    const path = `/api/v1/namespaces/shop/services/${name}/status`;
    this.send('PATCH', path, { metadata: { annotations }, status });
    for (const ip of ips) this.#ips.add(ipOf(ip));
    this.client.follow([...this.#ips]);
    this.changes += 1;
  }

  /** Which would be a conflict from the start, and no calm cluster. */
  #refuseNodes(ip: Ip): void {
    const owner = this.nodes.findIndex((_, index) => ipsOfNode(index + 1).includes(ip)) + 1;
    if (owner > 0) throw new RangeError(`${ip} is an address of node ${owner}`);
  }

  unserve(name: string, ...ips: readonly Ip[]): void {
    this.send('DELETE', `/api/v1/namespaces/shop/services/${name}`);
    for (const ip of ips) this.#ips.delete(ip);
    this.client.follow([...this.#ips]);
    this.changes += 1;
  }

  get ips(): readonly Ip[] {
    return [...this.#ips];
  }

  /** The one that has it; an error if that is not exactly one. */
  holder(ip: Ip): SimulatedNode {
    const found = this.nodes.filter((node) => node.holds(ip));
    const [holder] = found;
    if (holder !== undefined && found.length === 1) return holder;
    throw new Error(`${ip} is on [${found.map(({ name }) => name).join()}]`);
  }

  /** Nodes whose kernel has the address, and that are on. */
  holders(ip: Ip): readonly string[] {
    return this.nodes.filter((node) => node.holds(ip)).map(({ name }) => name);
  }

  /** Called at every step of the clock. */
  onStep: () => void = () => {};

  /** Told of every write that agents send. */
  onWrite: (method: string, url: string) => void = () => {};

  #exchange(request: ApiRequest) {
    if (request.method !== 'GET') this.onWrite(request.method, request.url);
    return this.faults.exchange(request);
  }

  /** What the annotations say of who announces what. */
  slots(): readonly string[] {
    const { items } = this.send('GET', '/api/v1/services') as unknown as {
      readonly items: readonly KubeObject[];
    };
    return items.flatMap(({ metadata }) =>
      Object.entries(metadata.annotations ?? {})
        .filter(([name]) => name.includes('announcing'))
        .map(([, text]) => `${metadata.name} ${text}`),
    );
  }

  /** Called when something changed that decides who answers for what. */
  onChange: () => void = () => {};

  /** Counts such changes; whoever changes the network adds one. */
  changes = 0;
  #seen = -1;
  #passes: FakeSegment['passes'] | undefined;

  #step(): void {
    const { passes } = this.segment;
    let seen = this.changes + this.client.nic.neighbours.revision;
    for (const node of this.nodes) seen += node.revision;
    if (seen !== this.#seen || passes !== this.#passes) {
      this.#seen = seen;
      this.#passes = passes;
      this.client.look();
      this.onChange();
    }
    this.onStep();
  }

  /** A frame to whomever the client believes to have it gets there, is answered, and the answer gets back. */
  #isAnswered(ip: Ip, nic: FakeNic): boolean {
    const mac = nic.neighbours.get(ip);
    const holder = mac && this.nodes.find((node) => node.hasMac(mac));
    if (holder === undefined || !holder.answers(ip)) return false;
    return this.isOpen(nic, holder.nic);
  }

  /** Whether frames pass between two ports, both ways; chance apart. */
  isOpen(one: FakeNic, other: FakeNic): boolean {
    return passesProbe(this.segment, one, other) && passesProbe(this.segment, other, one);
  }

  /** As the administrator; throws what the server refuses. */
  send(method: string, url: string, body?: unknown): KubeObject {
    const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
    const headers = { authorization: `Bearer ${this.#admin}`, 'content-type': type };
    const text = body === undefined ? '' : JSON.stringify(body);
    const answer = this.#api.handle({ method, url, headers, body: text });
    if (answer.status >= 300) throw new Error(`${method} ${url}: ${answer.status} ${answer.body}`);
    return JSON.parse(String(answer.body)) as KubeObject;
  }

  #prepare(hasZones: boolean): void {
    for (const name of ['purelb-system', 'shop']) {
      this.send('POST', '/api/v1/namespaces', { metadata: { name } });
    }
    for (const object of manifests) this.send('POST', collectionPath(object), object);
    for (const [index, { name }] of this.nodes.entries()) {
      const labels = hasZones ? { 'topology.kubernetes.io/zone': `zone${index % 2}` } : {};
      this.send('POST', '/api/v1/nodes', { metadata: { name, labels } });
    }
    this.send('POST', collectionPath(defaultGroup), defaultGroup);
  }
}

/** Any frame will do to ask whether the way is open. */
function passesProbe({ passes }: FakeSegment, from: FakeNic, to: FakeNic): boolean {
  const frame = { kind: 'arp', operation: 'request', from: from.mac, to: to.mac } as const;
  const station = { ip: gateways.ipv4, mac: to.mac };
  return passes({ ...frame, sender: station, target: station }, from, to);
}

/** It answers for whatever is not its own, as routers with proxy ARP do. */
function addProxy(segment: FakeSegment): FakeNic {
  const link = { index: 2, name: 'eth0', mac: macOf('02:00:00:01:00:02') };
  const addresses = { has: (ip: Ip) => /^192\.0\.2\.[12]\d\d$/.test(ip) };
  return new FakeHost().addNic({ link, segment, addresses });
}
