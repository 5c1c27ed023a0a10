/**
 * Nodes, a client and an API server on one LAN, and the programs as the manifests start them: bundled, each with the
 * token of its own service account where a pod has it. This process moves to the API server's host for as long.
 */

import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { node as nodeObject } from '../lab/control-plane/objects.ts';
import { eventually } from '../lab/eventually.ts';
import { enterNamespace } from '../lab/in-namespace.ts';
import { policyManifests, readManifest, resourceOf } from '../lab/manifest.ts';
import type { Host } from '../lab/network/host.ts';
import { type Lab, lan } from '../lab/network/lab.ts';
import type { HostProcess } from '../lab/process/host-process.ts';
import { HttpCluster } from '../src/kube/http-cluster.ts';
import { HttpsTransport } from '../src/kube/https-transport.ts';
import { mergePatch } from '../src/kube/patch.ts';
import { namespaces, nodes } from '../src/kube/resources.ts';
import type { KubeObject } from '../src/model/kube-object.ts';
import { SystemClock } from '../src/runtime/system-clock.ts';
import { type DeployedApi, startDeployedApi } from './deployed-api.ts';
import { type DeployedProgram, deployedProgram, type ProgramName } from './deployed-program.ts';

export const installNamespace = 'purelb-system';
export const workNamespace = 'shop';
export const accounts = { agent: 'lbnodeagent', allocator: 'allocator' } as const;
export const userOf = (name: ProgramName) =>
  `system:serviceaccount:${installNamespace}:${accounts[name]}`;

const accountFolder = '/run/secrets/kubernetes.io/serviceaccount';

export class DeployedCluster implements AsyncDisposable {
  readonly lab: Lab;
  readonly api: DeployedApi;
  readonly cluster: HttpCluster;
  readonly #transport: HttpsTransport;
  readonly #leave: () => void;
  readonly #folder = mkdtempSync(join(tmpdir(), 'purelb-deployed-'));

  static async open(nodeCount: number): Promise<DeployedCluster> {
    // The router, and with it a default route, is there for the client beyond it.
    const lab = await lan({ nodes: nodeCount, clients: ['lan1', 'lan1', 'outside'] });
    const { namespace, ipv4 } = lab.host('client2');
    const leave = enterNamespace(namespace);
    try {
      const api = await startDeployedApi(ipv4);
      const opened = new DeployedCluster(lab, api, leave);
      await opened.#prepare();
      return opened;
    } catch (error) {
      leave();
      await lab[Symbol.asyncDispose]();
      throw error;
    }
  }

  private constructor(lab: Lab, api: DeployedApi, leave: () => void) {
    this.lab = lab;
    this.api = api;
    this.#leave = leave;
    const clock = new SystemClock();
    const { url, ca, adminToken } = api;
    const config = { server: url, ca: { text: ca }, token: { text: adminToken } };
    this.#transport = new HttpsTransport(config, clock);
    this.cluster = new HttpCluster({ transport: this.#transport, clock });
  }

  /** On the LAN of the nodes. */
  get client(): Host {
    return this.lab.host('client1');
  }

  /** Where the API server, the allocator and this process are. */
  get control(): Host {
    return this.lab.host('client2');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#transport.close();
    await this.api.stop();
    this.#leave();
    await this.lab[Symbol.asyncDispose]();
    rmSync(this.#folder, { recursive: true });
  }

  async #prepare(): Promise<void> {
    mkdirSync(accountFolder, { recursive: true });
    await this.cluster.create(namespaces, { metadata: { name: workNamespace } });
    for (const { name, ipv4, ipv6 } of this.lab.nodes) {
      const object = nodeObject({ name, addresses: [ipv4, ipv6] });
      await this.cluster.create(nodes, object);
      const patch = mergePatch({ status: object.status });
      await this.cluster.patch(nodes, { name }, patch, { subresource: 'status' });
    }
  }

  /** What `kubectl apply` would, but for the allocator's Deployment; then these objects, which need it. */
  async install(objects: readonly KubeObject[]): Promise<void> {
    const files = ['crds/purelb.io_servicegroups', 'crds/purelb.io_lbnodeagents', 'rbac/agent'];
    const more = ['rbac/allocator', ...policyManifests, 'agent'];
    const all = ['namespace', ...files, ...more].flatMap(readManifest);
    for (const object of all) await this.cluster.create(resourceOf(object), object);
    for (const object of objects) {
      const create = () => this.cluster.create(resourceOf(object), object);
      await eventually(create, { withinMs: 20_000, everyMs: 100 });
    }
  }

  startAllocator(
    change: (program: DeployedProgram) => DeployedProgram = same,
    host: Host = this.control,
  ) {
    return this.#start('allocator', host, change);
  }

  startAgent(number: number, change: (program: DeployedProgram) => DeployedProgram = same) {
    return this.#start('agent', this.lab.node(number), change);
  }

  /** `ip netns exec` gives each program mounts of its own. */
  async #start(
    name: ProgramName,
    host: Host,
    change: (program: DeployedProgram) => DeployedProgram,
  ): Promise<HostProcess> {
    const facts = { namespace: installNamespace, uid: randomUUID() };
    const pod = { ...facts, node: host.name, hostIp: host.ipv4 };
    const program = change(deployedProgram(name, pod));
    const folder = await this.#accountOf(name, host.name);
    const script = `mount --bind "$0" ${accountFolder} && exec "$@"`;
    const { hostname, port } = new URL(this.api.url);
    const server = { KUBERNETES_SERVICE_HOST: hostname, KUBERNETES_SERVICE_PORT: port };
    return host.start(['sh', '-c', script, folder, process.execPath, ...program.argv], {
      env: { ...server, ...program.env, PURELB_STATE_SOCKET: this.stateSocket(name, host) },
      ready: /"msg":"Started"/,
      readyWithinMs: 30_000,
    });
  }

  /** In the place of the pod's own volume. */
  stateSocket(name: ProgramName, host: Host): string {
    return join(this.#folder, `${name}-${host.name}.sock`);
  }

  async #accountOf(name: ProgramName, node: string): Promise<string> {
    const folder = join(this.#folder, `${name}-${node}`);
    mkdirSync(folder, { recursive: true });
    const account = { namespace: installNamespace, name: accounts[name], node };
    writeFileSync(join(folder, 'token'), await this.api.token(account));
    writeFileSync(join(folder, 'ca.crt'), this.api.ca);
    writeFileSync(join(folder, 'namespace'), installNamespace);
    return folder;
  }
}

const same = (program: DeployedProgram) => program;
