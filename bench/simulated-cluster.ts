/**
 * Many agents in this process, on kernels and a network in memory and on a clock that waits for them; their requests go
 * to a real API server where its programs are there, else to the embedded one.
 */

import { node as nodeObject } from '../lab/control-plane/objects.ts';
import { eventually } from '../lab/eventually.ts';
import { policyManifests, readManifest, resourceOf } from '../lab/manifest.ts';
import { HttpCluster } from '../src/kube/http-cluster.ts';
import { HttpsTransport } from '../src/kube/https-transport.ts';
import { mergePatch } from '../src/kube/patch.ts';
import { namespaces, nodes, services } from '../src/kube/resources.ts';
import { TransportError, type TransportRequest } from '../src/kube/transport.ts';
import { FakeSegment } from '../src/linux/fake-segment.ts';
import { type Ip, ipOf } from '../src/model/ip.ts';
import type { Clock } from '../src/runtime/clock.ts';
import { SystemClock } from '../src/runtime/system-clock.ts';
import { type DeployedApi, startDeployedApi } from '../test/deployed-api.ts';
import { accounts, installNamespace, userOf, workNamespace } from '../test/deployed-cluster.ts';
import { defaultGroup, ipsOfNode } from '../test/simulation/address-plan.ts';
import { addGateway } from '../test/simulation/boot-machine.ts';
import type { Connection } from '../test/simulation/memory-connection.ts';
import { HintNetwork } from '../test/simulation/simulated-hints.ts';
import { SimulatedNode } from '../test/simulation/simulated-node.ts';
import { PacedClock } from './paced-clock.ts';

export class SimulatedCluster implements AsyncDisposable {
  readonly clock = new PacedClock();
  readonly segment = new FakeSegment({ clock: this.clock });
  readonly nodes: SimulatedNode[] = [];
  readonly ips = new Set<Ip>();
  readonly #api: DeployedApi;
  readonly #hints = new HintNetwork(this.clock, this.segment);
  readonly #transport: HttpsTransport;
  readonly #cluster: HttpCluster;

  static async open(count: number): Promise<SimulatedCluster> {
    const opened = new SimulatedCluster(await startDeployedApi('127.0.0.1'));
    await opened.#install();
    for (let number = 1; number <= count; number += 1) await opened.#addNode(number);
    return opened;
  }

  private constructor(api: DeployedApi) {
    this.#api = api;
    const real = new SystemClock();
    this.#transport = connectTo(api, api.adminToken, real);
    this.#cluster = new HttpCluster({ transport: this.#transport, clock: real });
    addGateway(this.segment);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const node of this.nodes) node.powerOff();
    await this.clock.stop();
    this.#transport.close();
    await this.#api.stop();
  }

  get isReal(): boolean {
    return this.#api.isReal;
  }

  /** What all agents asked of the API server so far, but for watches. */
  get requests(): number {
    const own = [...this.#api.requests()].filter(([what]) => what.startsWith(userOf('agent')));
    return own.reduce((sum, [, count]) => sum + count, 0);
  }

  /** A Service with its addresses, as the allocator would write it. */
  async serve(name: string, ips: readonly string[]): Promise<void> {
    const families = ips.map((ip) => (ip.includes(':') ? 'IPv6' : 'IPv4'));
    await this.#cluster.create(services, {
      metadata: { name, namespace: workNamespace },
      spec: {
        type: 'LoadBalancer',
        allocateLoadBalancerNodePorts: false,
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
    const patch = mergePatch({ metadata: { annotations }, status });
    const key = { namespace: workNamespace, name };
    await this.#cluster.patch(services, key, patch, { subresource: 'status' });
    for (const ip of ips) this.ips.add(ipOf(ip));
  }

  async #install(): Promise<void> {
    const crds = ['crds/purelb.io_servicegroups', 'crds/purelb.io_lbnodeagents'];
    const files = ['namespace', ...crds, 'rbac/agent', ...policyManifests];
    for (const object of files.flatMap(readManifest)) {
      await this.#cluster.create(resourceOf(object), object);
    }
    await this.#cluster.create(namespaces, { metadata: { name: workNamespace } });
    const create = () => this.#cluster.create(resourceOf(defaultGroup), defaultGroup);
    await eventually(create, { withinMs: 20_000, everyMs: 100 });
  }

  async #addNode(number: number): Promise<void> {
    const name = `node${number}`;
    const object = nodeObject({ name, addresses: ipsOfNode(number) });
    await this.#cluster.create(nodes, object);
    const token = await this.#api.token({
      namespace: installNamespace,
      name: accounts.agent,
      node: name,
    });
    const node = new SimulatedNode({
      number,
      clock: this.clock,
      segment: this.segment,
      hints: this.#hints,
      connect: ({ clock }) => new HttpsConnection(connectTo(this.#api, token, clock)),
      reachesApi: () => true,
      random: Math.random,
      isUnaudited: true,
    });
    this.nodes.push(node);
  }
}

function connectTo({ url, ca }: DeployedApi, token: string, clock: Clock): HttpsTransport {
  return new HttpsTransport({ server: url, ca: { text: ca }, token: { text: token } }, clock);
}

class HttpsConnection implements Connection {
  readonly #transport: HttpsTransport;
  #isDead = false;

  constructor(transport: HttpsTransport) {
    this.#transport = transport;
  }

  exchange(request: TransportRequest) {
    if (this.#isDead) throw new TransportError('reset', 'the process was killed');
    return this.#transport.exchange(request);
  }

  die(): void {
    this.#isDead = true;
    this.#transport.close();
  }
}
