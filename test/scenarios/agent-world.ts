/** A cluster for scenarios: nodes with real agents on them, an API server that enforces roles, a client. */

import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startApi } from '../../lab/api/start-api.ts';
import { ApiDoors } from '../../lab/cluster/api-doors.ts';
import { writeKubeconfig } from '../../lab/control-plane/kubeconfig.ts';
import { node as nodeObject } from '../../lab/control-plane/objects.ts';
import { eventually } from '../../lab/eventually.ts';
import { inNamespace } from '../../lab/in-namespace.ts';
import { policyManifests, readManifest, resourceOf } from '../../lab/manifest.ts';
import type { Host } from '../../lab/network/host.ts';
import { Lab, lan } from '../../lab/network/lab.ts';
import type { HostProcess } from '../../lab/process/host-process.ts';
import { HttpCluster } from '../../src/kube/http-cluster.ts';
import { HttpsTransport } from '../../src/kube/https-transport.ts';
import { mergePatch } from '../../src/kube/patch.ts';
import {
  endpointSlices,
  events,
  lbNodeAgents,
  leases,
  namespaces,
  nodes,
  serviceGroups,
  services,
} from '../../src/kube/resources.ts';
import type { KubeObject } from '../../src/model/kube-object.ts';
import { SystemClock } from '../../src/runtime/system-clock.ts';
import { agentToken, agentUser, installNamespace } from './agent-token.ts';
import {
  conditionsFor,
  familiesOf,
  grantFor,
  requestFor,
  type ServiceWish,
} from './service-wish.ts';
import type { WorldApi, WorldOptions } from './world-options.ts';

export { agentUser, installNamespace };

const agentPort = 7472;
const doorPort = 6443;

/** Pools of both families in the first LAN, and routed ones. */
export const usualGroups = {
  default: {
    local: {
      v4pools: [{ subnet: '192.0.2.0/24', pool: '192.0.2.100-192.0.2.199' }],
      v6pools: [{ subnet: '2001:db8:1::/64', pool: '2001:db8:1::100-2001:db8:1::1ff' }],
    },
  },
  public: {
    remote: {
      v4pools: [{ subnet: '203.0.113.128/25', pool: '203.0.113.128/25', aggregation: '/32' }],
      v6pools: [{ subnet: '2001:db8:aa::/64', pool: '2001:db8:aa::/64', aggregation: '/128' }],
    },
  },
};

export class AgentWorld implements AsyncDisposable {
  readonly lab: Lab;
  readonly api: WorldApi;
  readonly cluster: HttpCluster;
  readonly agents = new Map<string, HostProcess>();
  readonly #transport: HttpsTransport;
  readonly #doors: ApiDoors;
  readonly #hasAllocator: boolean;
  readonly #folder = mkdtempSync(join(tmpdir(), 'purelb-agent-'));
  /** Empty unless the agents have a key. */
  readonly #peerKeyFolder = join(this.#folder, 'peer-key');

  static async open(options: WorldOptions = {}): Promise<AgentWorld> {
    // A client on the LAN and one beyond the router, so that nodes have a default route.
    const { nodes: shape = 3, plan } = options;
    const lab = await (plan === undefined
      ? lan({ nodes: shape, clients: ['lan1', 'outside'] })
      : Lab.build(plan));
    const world = new AgentWorld(lab, await (options.api?.() ?? startApi({ rbac: true })), options);
    try {
      await world.#prepare(options);
      const started = options.agents ?? lab.nodes.map((_, index) => index + 1);
      await Promise.all(started.map((number) => world.startAgent(number)));
      return world;
    } catch (error) {
      await world[Symbol.asyncDispose]();
      throw error;
    }
  }

  private constructor(lab: Lab, api: WorldApi, { hasAllocator = false }: WorldOptions) {
    this.lab = lab;
    this.api = api;
    this.#hasAllocator = hasAllocator;
    this.#doors = new ApiDoors(Number(new URL(api.url).port));
    const clock = new SystemClock();
    const ca = api.ca === undefined ? {} : { ca: { text: api.ca } };
    const token = { text: api.adminToken };
    this.#transport = new HttpsTransport({ server: api.url, token, ...ca }, clock);
    this.cluster = new HttpCluster({ transport: this.#transport, clock });
  }

  /** On the LAN of the nodes. */
  get client(): Host {
    return this.lab.host('client1');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.lab[Symbol.asyncDispose]();
    this.#doors.close();
    this.#transport.close();
    await this.api.stop();
    rmSync(this.#folder, { recursive: true });
  }

  async #prepare(options: WorldOptions): Promise<void> {
    const { local = {}, groups = usualGroups } = options;
    if (options.hasPeerKey === true) this.#makePeerKey();
    for (const name of [installNamespace, 'shop']) {
      await this.cluster.create(namespaces, { metadata: { name } });
    }
    const manifests = ['crds/purelb.io_servicegroups', 'crds/purelb.io_lbnodeagents', 'rbac/agent'];
    for (const object of [...manifests, ...policyManifests].flatMap(readManifest)) {
      await this.cluster.create(resourceOf(object), object);
    }
    await eventually(() => this.#areKindsServed(), { withinMs: 20_000 });
    if (!('local' in options) || options.local !== undefined) {
      const metadata = { name: 'default', namespace: installNamespace };
      await this.cluster.create(lbNodeAgents, { metadata, spec: { local } });
    }
    for (const [name, spec] of Object.entries(groups)) await this.group(name, spec);
    for (const host of this.lab.nodes) {
      await this.#registerNode(host);
      await this.openDoor(host);
    }
  }

  #makePeerKey(): void {
    mkdirSync(this.#peerKeyFolder);
    writeFileSync(join(this.#peerKeyFolder, 'key'), randomBytes(32), { mode: 0o600 });
  }

  /** A real API server takes a moment to serve what CRDs define. */
  async #areKindsServed(): Promise<void> {
    for (const resource of [serviceGroups, lbNodeAgents]) {
      for await (const _ of this.cluster.list(resource));
    }
  }

  async #registerNode(host: Host): Promise<void> {
    const object = nodeObject({ name: host.name, addresses: [host.ipv4, host.ipv6] });
    await this.cluster.create(nodes, object);
    const patch = mergePatch({ status: object.status });
    await this.cluster.patch(nodes, { name: host.name }, patch, { subresource: 'status' });
  }

  /** The API server on the host's own loopback: once, and again after the host was switched off. */
  async openDoor(host: Host): Promise<void> {
    await this.#doors.open((door) => inNamespace(host.namespace, () => door.listen(doorPort)));
  }

  /** For the agents; the test itself reaches it all the same. */
  cutApi(isAway: boolean): void {
    if (isAway) this.#doors.shut();
    else this.#doors.unlock();
  }

  async startAgent(number: number, args: readonly string[] = []): Promise<HostProcess> {
    const host = this.lab.node(number);
    const kubeconfig = await this.agentKubeconfig(host.name);
    const main = join(import.meta.dirname, '../../src/agent/main.ts');
    const told = ['--node-name', host.name, '--namespace', installNamespace, '--host', '127.0.0.1'];
    const files = [
      ...['--kubeconfig', kubeconfig, '--state-socket', this.stateSocket(number)],
      ...['--peer-key-dir', this.#peerKeyFolder],
    ];
    const argv = [process.execPath, main, ...told, ...files, ...args];
    const started = await host.start(argv, { ready: /"msg":"Started"/, readyWithinMs: 20_000 });
    this.agents.set(host.name, started);
    return started;
  }

  agent(number: number): HostProcess {
    const found = this.agents.get(`node${number}`);
    if (found === undefined) throw new RangeError(`there is no agent on node${number}`);
    return found;
  }

  /** For the agent of this node. */
  async agentKubeconfig(node: string): Promise<string> {
    return this.#writeKubeconfig(`agent-${node}`, await agentToken(this.api, node));
  }

  /** By which a program on any of the hosts reaches the API server. */
  kubeconfig(user: string, groups: readonly string[] = []): string {
    return this.#writeKubeconfig(user, this.api.token(user, groups));
  }

  #writeKubeconfig(user: string, token: string): string {
    const path = join(this.#folder, user.replaceAll(':', '-'));
    const url = `${new URL(this.api.url).protocol}//127.0.0.1:${doorPort}`;
    const ca = this.api.ca ?? '';
    return writeKubeconfig(path, { url, ca, user, credentials: { token } });
  }

  async group(name: string, spec: object): Promise<void> {
    const metadata = { name, namespace: installNamespace };
    await this.cluster.create(serviceGroups, { metadata, spec });
  }

  /** With its addresses, and the notes about them; where there is an allocator, it is left to do that. */
  async service(name: string, wish: ServiceWish): Promise<void> {
    const ports = [{ port: 80, protocol: 'TCP' }];
    await this.cluster.create(services, {
      metadata: {
        name,
        namespace: 'shop',
        annotations: this.#hasAllocator ? requestFor(wish) : {},
      },
      spec: { type: 'LoadBalancer', ports, ...familiesOf(wish), ...wish.spec },
    });
    if (this.#hasAllocator) return;
    const ingress = wish.ips.map((ip) => ({ ip }));
    const patch = mergePatch({
      metadata: { annotations: grantFor(wish) },
      status: { loadBalancer: { ingress }, conditions: conditionsFor(wish) },
    });
    const ref = { namespace: 'shop', name };
    await this.cluster.patch(services, ref, patch, { subresource: 'status' });
  }

  async remove(name: string): Promise<void> {
    await this.cluster.delete(services, { namespace: 'shop', name });
  }

  async annotations(name: string): Promise<Readonly<Record<string, string>>> {
    const { metadata } = await this.cluster.get(services, { namespace: 'shop', name });
    return metadata.annotations ?? {};
  }

  /** `node1 eth0/24` for each place that has the address, on nodes that are switched on. */
  async places(ip: string): Promise<readonly string[]> {
    const alive = this.lab.nodes.filter(({ isOff }) => !isOff);
    const found = await Promise.all(
      alive.map(async (host) => {
        const links = await host.links();
        return links.flatMap(({ name, addresses }) =>
          addresses
            .filter((address) => address.startsWith(`${ip}/`))
            .map((address) => `${host.name} ${name}/${address.split('/')[1]}`),
        );
      }),
    );
    return found.flat().sort();
  }

  /** Resolves to the one place that has the address. */
  async onePlace(ip: string, withinMs = 5000): Promise<string> {
    return eventually(
      async () => {
        const found = await this.places(ip);
        if (found.length !== 1) throw new Error(`${ip} is on [${found.join(', ')}]`);
        return found[0] ?? '';
      },
      { withinMs },
    );
  }

  /** Resolves when all agents have a Lease that the others can elect by. */
  async members(count: number): Promise<readonly KubeObject[]> {
    return eventually(
      async () => {
        const found: KubeObject[] = [];
        for await (const { items } of this.cluster.list(leases, { namespace: installNamespace })) {
          found.push(
            ...items.filter(({ metadata }) => metadata.annotations?.['purelb.io/subnets']),
          );
        }
        if (found.length < count) throw new Error(`${found.length} members of ${count}`);
        return found;
      },
      { withinMs: 10_000 },
    );
  }

  /** `reason: note` of all Events about an object. */
  async eventsOf(name: string): Promise<readonly string[]> {
    const found: string[] = [];
    for await (const { items } of this.cluster.list(events)) {
      for (const { regarding, reason, note } of items) {
        if (regarding.name === name) found.push(`${reason}: ${note}`);
      }
    }
    return found.sort();
  }

  async endpoints(slice: KubeObject): Promise<void> {
    await this.cluster.create(endpointSlices, slice).catch(async () => {
      const ref = { namespace: 'shop', name: slice.metadata.name };
      const { endpoints } = slice;
      const patch = mergePatch({ endpoints });
      await this.cluster.patch(endpointSlices, ref, patch);
    });
  }

  /** What `agent state` prints on a node. */
  async state(number: number): Promise<string> {
    const main = join(import.meta.dirname, '../../src/agent/main.ts');
    const argv = [process.execPath, main, 'state', '--state-socket', this.stateSocket(number)];
    return (await this.lab.node(number).run(argv)).stdout;
  }

  stateSocket(number: number): string {
    return join(this.#folder, `agent-${number}.sock`);
  }

  /** What an agent serves on its port, or another one on its node. */
  async read(number: number, path: string, port = agentPort): Promise<string> {
    const url = `http://127.0.0.1:${port}${path}`;
    const program = `process.stdout.write(await (await fetch(${JSON.stringify(url)})).text())`;
    const argv = [process.execPath, '--input-type=module', '--eval', program];
    return (await this.lab.node(number).run(argv)).stdout;
  }
}
