/** What runs on the nodes of a real cluster: containerd, a kubelet and a kube-proxy; the rest is in containers. */

import {
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import type { Cluster } from '../../src/kube/cluster.ts';
import { nodes, pods } from '../../src/kube/resources.ts';
import { formatPrefix } from '../../src/model/prefix.ts';
import { installNamespace } from '../cluster/installed-objects.ts';
import { type ClusterPrograms, startKubeProxyOn } from '../cluster/node-programs.ts';
import { binaryPath } from '../control-plane/binaries.ts';
import type { ProgramName } from '../control-plane/programs.ts';
import { eventually } from '../eventually.ts';
import { podSubnets } from '../network/address-plan.ts';
import { commandOf, processesIn } from '../network/demolish.ts';
import type { Host } from '../network/host.ts';
import { nodeNumber } from '../network/plan-cluster.ts';
import type { HostProcess } from '../process/host-process.ts';
import { type Hierarchy, makeCgroups, removeCgroups } from './cgroups.ts';
import { ContainerAgent } from './container-agent.ts';
import { containerdConfiguration, kubeletConfiguration, networkPlugins } from './node-files.ts';
import { runtimePath } from './packages.ts';

export interface RealProgramsOptions {
  readonly folder: string;
  /** By which a user reaches the API server over the lab's network. */
  readonly kubeconfig: (user: 'kube-proxy' | `node:${string}`) => string;
  readonly cluster: Cluster;
  readonly caFile: string;
  /** Archive of what every node imports when it is first switched on; there when this resolves. */
  readonly images: Promise<string>;
  /** Whether nodes tell their IPv4 addresses alone. */
  readonly isIPv4Only?: boolean | undefined;
}

const bootWithinMs = 180_000;
const agentWithinMs = 120_000;
const built: readonly ProgramName[] = ['kubelet', 'ptp', 'loopback', 'host-local'];
const fetched = ['containerd', 'containerd-shim-runc-v2', 'ctr', 'runc'] as const;

/** Joins the node's control groups before it makes the namespace in which these are the roots. */
const start = `
for group in $GROUPS; do echo $$ > "$group/cgroup.procs"; done
exec unshare --mount --pid --uts --ipc --cgroup --fork --kill-child sh "$0"`;

export class RealPrograms implements ClusterPrograms {
  readonly agents = new Map<string, ContainerAgent>();
  readonly #options: RealProgramsOptions;
  readonly #groups = new Map<string, readonly Hierarchy[]>();
  readonly #machines = new Map<string, HostProcess>();
  /** From then on a node that is switched on gets an agent. */
  isInstalled = false;

  constructor(options: RealProgramsOptions) {
    this.#options = options;
  }

  /** There is none; what asks there gets no answer. */
  socketOf(node: string): string {
    return join(this.#options.folder, `${node}.sock`);
  }

  /** Where the logs of a node's containerd and kubelet are, among other things. */
  diskOf(node: string): string {
    return join(this.#options.folder, node);
  }

  /** The command that leads from the sandbox into all namespaces of a node that is on. */
  entryOf(node: string): readonly string[] {
    const outer = this.#machines.get(node)?.pid;
    const [first = ''] = readFileSync(`/proc/${outer}/task/${outer}/children`, 'utf8').split(' ');
    return ['nsenter', '-t', first, '-m', '-u', '-i', '-n', '-p', '-C', 'env', `PATH=${nodePath}`];
  }

  async startKubelet(host: Host): Promise<void> {
    const disk = this.diskOf(host.name);
    const config = join(this.#options.folder, `${host.name}-config`);
    this.#writeConfig(host, config);
    await this.#register(host);
    const images = await this.#options.images;
    mkdirSync(disk, { recursive: true });
    if (!existsSync(join(disk, 'images.tar'))) linkSync(images, join(disk, 'images.tar'));
    const groups = makeCgroups(`${host.namespace}`);
    this.#groups.set(host.name, groups);
    const machine = await host.start(['sh', '-c', start, join(config, 'node-init.sh')], {
      ready: /^booted$/,
      readyWithinMs: bootWithinMs,
      env: {
        NODE: host.name,
        NODE_IPS: this.#options.isIPv4Only ? host.ipv4 : `${host.ipv4},${host.ipv6}`,
        DISK: disk,
        CONFIG: config,
        PROGRAMS: [...built.map(binaryPath), ...fetched.map(runtimePath)].join(' '),
        GROUPS: groups.map(({ folder }) => folder).join(' '),
        HIERARCHIES: groups.map(({ controllers }) => controllers).join(' '),
      },
    });
    this.#machines.set(host.name, machine);
  }

  /** As `systemctl restart kubelet` would: containers live on. */
  async restartKubelet(host: Host): Promise<void> {
    const isKubelet = (pid: number) => commandOf(pid)[0]?.replace(/.*\//, '') === 'kubelet';
    for (const pid of processesIn([host.namespace]).filter(isKubelet)) process.kill(pid, 'SIGKILL');
  }

  async startKubeProxy(host: Host): Promise<void> {
    const { folder, kubeconfig } = this.#options;
    await startKubeProxyOn(host, folder, kubeconfig('kube-proxy'));
  }

  /** The kubelet does that; resolves when there is one, if there is to be. */
  async startAgent(host: Host): Promise<void> {
    const agent = this.agents.get(host.name) ?? this.#agentOf(host);
    this.agents.set(host.name, agent);
    if (!this.isInstalled) return;
    const check = () => {
      if (agent.hasExited) throw new Error(`no agent runs on ${host.name}`);
    };
    await eventually(check, { withinMs: agentWithinMs, everyMs: 100 });
  }

  /** A Deployment does that. */
  async startAllocator(): Promise<void> {}

  async close(): Promise<void> {
    await Promise.all([...this.#groups.values()].map(removeCgroups));
  }

  #agentOf(host: Host): ContainerAgent {
    return new ContainerAgent(host, async () => {
      const { cluster } = this.#options;
      const selection = {
        namespace: installNamespace,
        labelSelector: 'component=lbnodeagent',
        fieldSelector: `spec.nodeName=${host.name}`,
      };
      for await (const { items } of cluster.list(pods, selection))
        for (const { metadata } of items) await cluster.delete(pods, metadata);
    });
  }

  /** With its pods' subnets, which nobody else gives out here; the kubelet takes it over. */
  async #register(host: Host): Promise<void> {
    const { cluster } = this.#options;
    const { name } = host;
    const podCIDRs = podSubnets(nodeNumber(host)).map(formatPrefix);
    const labels = {
      'kubernetes.io/hostname': name,
      'topology.kubernetes.io/zone': host.nic().segment.name,
    };
    const spec = { podCIDR: podCIDRs[0], podCIDRs };
    const known = await cluster.get(nodes, { name }).catch(() => undefined);
    if (known === undefined) await cluster.create(nodes, { metadata: { name, labels }, spec });
  }

  #writeConfig(host: Host, folder: string): void {
    const { caFile, kubeconfig } = this.#options;
    mkdirSync(folder, { recursive: true });
    const write = (name: string, text: string) =>
      writeFileSync(join(folder, name), text, { mode: 0o600 });
    const own = (name: string) => join(import.meta.dirname, name);
    for (const script of ['node-init.sh', 'boot.sh'])
      copyFileSync(own(script), join(folder, script));
    copyFileSync(caFile, join(folder, 'ca.crt'));
    copyFileSync(kubeconfig(`node:${host.name}`), join(folder, 'kubeconfig'));
    write('containerd.toml', containerdConfiguration);
    write('cni.conflist', JSON.stringify(networkPlugins(nodeNumber(host))));
    write('kubelet.json', JSON.stringify(kubeletConfiguration('/run/config/ca.crt')));
  }
}

const nodePath = '/run/bin:/usr/sbin:/usr/bin:/sbin:/bin';
