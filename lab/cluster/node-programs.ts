/** What runs on the nodes of a cluster: a kubelet and an agent on each, allocators and kube-proxies where wanted. */

import { randomBytes } from 'node:crypto';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { formatPrefix } from '../../src/model/prefix.ts';
import { binaryPath } from '../control-plane/binaries.ts';
import { kubeProxyConfiguration } from '../control-plane/kube-proxy.ts';
import type { KubeletConfig } from '../kubelet/kubelet-program.ts';
import { allPods, podSubnets } from '../network/address-plan.ts';
import type { Host } from '../network/host.ts';
import { nodeNumber } from '../network/plan-cluster.ts';
import type { HostProcess, StartOptions } from '../process/host-process.ts';
import { Gobgpd } from '../router/gobgpd.ts';
import { compileCache } from './compile-cache.ts';
import { installNamespace } from './installed-objects.ts';

export type Forwarding = 'kube-proxy' | 'own';

/** An agent wherever it runs: as a program of its host, or in a container. */
export interface AgentProcess {
  readonly hasExited: boolean;
  /** It stands still until it is thawed. */
  freeze(): void;
  thaw(): void;
  /** SIGKILL. */
  kill(): Promise<unknown>;
  /** SIGTERM. */
  stop(): Promise<unknown>;
}

/** How an agent is started that is to differ from the others. */
export interface AgentVariant {
  readonly env?: Readonly<Record<string, string>>;
  /** Of Node itself, before the program. */
  readonly nodeArguments?: readonly string[];
}

/** What runs on the nodes of a cluster, and how it is started on one that was switched on. */
export interface ClusterPrograms {
  readonly agents: ReadonlyMap<string, AgentProcess>;
  /** By node, from its next start on; absent where agents cannot differ. */
  readonly variants?: Map<string, AgentVariant>;
  /** Where the kubelet of a node answers. */
  socketOf(node: string): string;
  startKubelet(host: Host): Promise<void>;
  startAgent(host: Host): Promise<unknown>;
  startAllocator(host: Host): Promise<void>;
  startKubeProxy(host: Host): Promise<void>;
  /** Removes what they leave behind, when all of them have ended. */
  close?(): Promise<void>;
}

export interface NodeProgramsOptions {
  /** For configurations and sockets. */
  readonly folder: string;
  /** The file by which a user reaches the API server over the lab's network. */
  readonly kubeconfig: (
    user: `agent:${string}` | 'allocator' | 'kube-proxy' | `node:${string}`,
  ) => string;
  readonly forwarding: Forwarding;
  readonly heartbeatMs: number;
  readonly agentArguments: readonly string[];
  /** With a gobgpd beside each agent. */
  readonly speaksBgp: boolean;
}

const source = join(import.meta.dirname, '../..');
const readyWithinMs = 60_000;
/** The agent on the same node has the usual one, and its BGP part the two after it. */
const allocatorPort = 7476;

export class NodePrograms implements ClusterPrograms {
  readonly #options: NodeProgramsOptions;
  readonly agents = new Map<string, HostProcess>();
  readonly variants = new Map<string, AgentVariant>();
  readonly kubelets = new Map<string, HostProcess>();
  readonly allocators = new Map<string, HostProcess>();
  readonly daemons = new Map<string, Gobgpd>();

  constructor(options: NodeProgramsOptions) {
    this.#options = options;
    const folder = peerKeyFolder(options);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'key'), randomBytes(32), { mode: 0o600 });
  }

  socketOf(node: string): string {
    return join(this.#options.folder, `${node}.sock`);
  }

  async startKubelet(host: Host): Promise<void> {
    const number = nodeNumber(host);
    const config: KubeletConfig = {
      facts: {
        name: host.name,
        ips: [host.ipv4, host.ipv6],
        podCidrs: podSubnets(number).map(formatPrefix),
        labels: { 'topology.kubernetes.io/zone': host.nic().segment.name },
      },
      kubeconfig: this.#options.kubeconfig(`node:${host.name}`),
      heartbeatMs: this.#options.heartbeatMs,
      // The one of an earlier boot is dead, and its socket in the way.
      socket: freshSocket(this.socketOf(host.name)),
      ...(this.#options.forwarding === 'own' ? { forwarding: { podCidrs: allPods } } : {}),
    };
    const program = join(source, 'lab/kubelet/kubelet-program.ts');
    const argv = [process.execPath, program, JSON.stringify(config)];
    this.kubelets.set(host.name, await host.start(argv, options(/^started$/)));
  }

  async startAgent(host: Host): Promise<HostProcess> {
    const bgp = this.#options.speaksBgp ? this.#daemonFor(host) : undefined;
    const { env: own = {}, nodeArguments = [] } = this.variants.get(host.name) ?? {};
    const env = { PURELB_PEER_KEY_DIR: peerKeyFolder(this.#options), ...own };
    const argv = [
      ...[process.execPath, ...nodeArguments, join(source, 'src/agent/main.ts')],
      ...['--node-name', host.name, '--namespace', installNamespace, '--host', '127.0.0.1'],
      ...['--state-socket', join(this.#options.folder, `agent-${host.name}.sock`)],
      ...[
        '--kubeconfig',
        this.#options.kubeconfig(`agent:${host.name}`),
        ...this.#options.agentArguments,
      ],
      ...(bgp === undefined ? [] : ['--gobgp-endpoint', bgp.endpoint]),
    ];
    const [started] = await Promise.all([
      host.start(argv, options(/"msg":"Started"/, env)),
      bgp?.isRunning === false ? bgp.start() : undefined,
    ]);
    this.agents.set(host.name, started);
    return started;
  }

  async close(): Promise<void> {
    await Promise.all([...this.daemons.values()].map((each) => each[Symbol.asyncDispose]()));
  }

  /** It outlives the agent, and dies with its node. */
  #daemonFor(host: Host): Gobgpd {
    const daemon = this.daemons.get(host.name) ?? new Gobgpd({ host });
    this.daemons.set(host.name, daemon);
    return daemon;
  }

  async startAllocator(host: Host): Promise<void> {
    const argv = [
      ...[process.execPath, join(source, 'src/allocator/main.ts'), '--host', '127.0.0.1'],
      ...['--port', String(allocatorPort), '--namespace', installNamespace],
      ...['--state-socket', join(this.#options.folder, `allocator-${host.name}.sock`)],
      ...['--kubeconfig', this.#options.kubeconfig('allocator')],
    ];
    const env = { DEFAULT_ANNOUNCER: 'PureLB' };
    const started = await host.start(argv, options(/"msg":"Started"/, env));
    this.allocators.set(host.name, started);
  }

  async startKubeProxy(host: Host): Promise<void> {
    const { folder } = this.#options;
    await startKubeProxyOn(host, folder, this.#options.kubeconfig('kube-proxy'));
  }
}

/** One key for the agents of all nodes, where a kubelet would mount the Secret `purelb-peer-key`. */
function peerKeyFolder({ folder }: NodeProgramsOptions): string {
  return join(folder, 'peer-key');
}

export async function startKubeProxyOn(host: Host, folder: string, kubeconfig: string) {
  const usual = kubeProxyConfiguration({
    kubeconfig,
    node: host.name,
    dir: folder,
    podCidrs: allPods,
  });
  const config = {
    ...usual,
    // The embedded API server knows no protobuf.
    clientConnection: { kubeconfig, contentType: 'application/json' },
    nftables: { minSyncPeriod: '50ms', syncPeriod: '30s' },
  };
  const file = join(folder, `kube-proxy-${host.name}.json`);
  writeFileSync(file, JSON.stringify(config));
  await host.start([binaryPath('kube-proxy'), `--config=${file}`]);
}

function options(ready: RegExp, env: Readonly<Record<string, string>> = {}): StartOptions {
  return { ready, readyWithinMs, env: { ...compileCache(), ...env } };
}

function freshSocket(path: string): string {
  rmSync(path, { force: true });
  return path;
}
