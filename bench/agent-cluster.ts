/** What the agent's bench runs on: a few nodes with the shipped programs, and pools with room for thousands. */

import { addressesOf } from '../lab/cluster/workload.ts';
import { eventually } from '../lab/eventually.ts';
import { monotonicMs } from '../lab/monotonic.ts';
import type { Host } from '../lab/network/host.ts';
import type { HostProcess } from '../lab/process/host-process.ts';
import { startResponder } from '../lab/traffic/responder.ts';
import { isNotFound } from '../src/kube/api-error.ts';
import { services } from '../src/kube/resources.ts';
import type { KubeObject } from '../src/model/kube-object.ts';
import {
  DeployedCluster,
  installNamespace,
  userOf,
  workNamespace,
} from '../test/deployed-cluster.ts';
import type { DeployedProgram, ProgramName } from '../test/deployed-program.ts';

export const nodeCount = 5;

/**
 * `careful`: the default, which looks at the wire before an address is used; `blind` does not; `large`: as `careful`,
 * with room for 16,000 Services; `routed`: remote addresses, which every node has on its virtual link.
 */
export type GroupName = 'careful' | 'blind' | 'large' | 'routed';

/** Reserved for benchmarks (RFC 2544): a subnet of the nodes' LAN beside its own. */
const subnetLength = 17;
const subnet = `198.18.0.0/${subnetLength}`;
const ipv6Subnet = '2001:db8:1::/64';
const blocks = {
  careful: ['198.18.4.0-198.18.15.255', '1'],
  blind: ['198.18.16.0-198.18.63.250', '2'],
  large: ['198.18.64.0-198.18.127.250', '3'],
};

function groupObject(name: keyof typeof blocks, extra: object): KubeObject {
  const [pool, block] = blocks[name];
  return {
    apiVersion: 'purelb.io/v2',
    kind: 'ServiceGroup',
    metadata: { name, namespace: installNamespace },
    spec: {
      ...extra,
      local: {
        v4pools: [{ subnet, pool }],
        v6pools: [{ subnet: ipv6Subnet, pool: `2001:db8:1::${block}:0-2001:db8:1::${block}:ffff` }],
      },
    },
  };
}

const routedGroup: KubeObject = {
  apiVersion: 'purelb.io/v2',
  kind: 'ServiceGroup',
  metadata: { name: 'routed', namespace: installNamespace },
  spec: {
    remote: {
      v4pools: [{ subnet: '198.19.0.0/16', pool: '198.19.0.0-198.19.3.255', aggregation: '/32' }],
    },
  },
};

const configuration: KubeObject = {
  apiVersion: 'purelb.io/v2',
  kind: 'LBNodeAgent',
  metadata: { name: 'default', namespace: installNamespace },
  spec: { local: {} },
};

export type ProgramChange = (program: DeployedProgram) => DeployedProgram;

export interface AgentClusterOptions {
  readonly nodes?: number;
  /** False where only the allocator is of interest. */
  readonly hasAgents?: boolean;
  /** A second allocator stands by. */
  readonly hasStandby?: boolean;
  /** What is different about the programs from how they are shipped. */
  readonly change?: ProgramChange;
}

export interface ServiceWish {
  readonly group?: GroupName;
  readonly family?: 'IPv4' | 'IPv6';
  readonly ip?: string;
}

export class AgentCluster implements AsyncDisposable {
  readonly deployed: DeployedCluster;
  /** By node, the first being node1's. */
  readonly agents: HostProcess[] = [];
  /** The first one leads. */
  readonly allocators: HostProcess[] = [];

  readonly #change: ProgramChange;

  static async open(options: AgentClusterOptions = {}): Promise<AgentCluster> {
    const { nodes = nodeCount, hasStandby = false, hasAgents = true } = options;
    const deployed = await DeployedCluster.open(nodes);
    for (const host of [...deployed.lab.nodes, deployed.client]) {
      const number = host.ipv4.split('.').at(-1);
      await host.run(['ip', 'address', 'add', `198.18.0.${number}/${subnetLength}`, 'dev', 'eth0']);
    }
    const off = { conflictCheck: { mode: 'Off' } };
    const checked = [groupObject('careful', {}), groupObject('large', {})];
    const groups = [...checked, groupObject('blind', off), routedGroup];
    await deployed.install([configuration, ...groups]);
    const opened = new AgentCluster(deployed, options.change ?? ((program) => program));
    await opened.#startAllocators(hasStandby);
    if (hasAgents) await opened.startAgents();
    await Promise.all(deployed.lab.nodes.map((host) => startResponder(host)));
    return opened;
  }

  private constructor(deployed: DeployedCluster, change: ProgramChange) {
    this.deployed = deployed;
    this.#change = change;
  }

  /** Where the leader of two allocators is: a host whose power can be cut while everything else goes on. */
  get leaderHost(): Host {
    return this.deployed.lab.host('client3');
  }

  /** The standby starts when the leader has given out an address. */
  async #startAllocators(hasStandby: boolean): Promise<void> {
    if (!hasStandby) {
      this.allocators.push(await this.deployed.startAllocator(this.#change));
      return;
    }
    this.allocators.push(await this.deployed.startAllocator(this.#change, this.leaderHost));
    await this.create('first');
    await this.untilAddressed('first');
    await this.remove('first');
    this.allocators.push(await this.deployed.startAllocator(this.#change));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.deployed[Symbol.asyncDispose]();
  }

  async startAgents(): Promise<void> {
    const numbers = this.deployed.lab.nodes.map((_, index) => index + 1);
    const started = await Promise.all(
      numbers.map((number) => this.deployed.startAgent(number, this.#change)),
    );
    this.agents.splice(0, this.agents.length, ...started);
    await Promise.all(this.deployed.lab.nodes.map(({ ipv4 }) => untilReady(ipv4)));
  }

  /** Stops the only allocator and starts it again; resolves to the milliseconds from its start until it is ready. */
  async restartAllocator(): Promise<number> {
    const [running] = this.allocators.splice(0);
    await running?.stop();
    const startedAt = monotonicMs();
    await this.#startAllocators(false);
    await untilReady(this.deployed.control.ipv4);
    return monotonicMs() - startedAt;
  }

  async stopAgents(): Promise<void> {
    await Promise.all(this.agents.map((agent) => agent.stop()));
  }

  async create(name: string, wish: ServiceWish = {}): Promise<void> {
    const { group = 'careful', family = 'IPv4', ip } = wish;
    const addresses = ip === undefined ? {} : { 'purelb.io/addresses': ip };
    await this.deployed.cluster.create(services, {
      metadata: {
        name,
        namespace: workNamespace,
        annotations: { 'purelb.io/service-group': group, ...addresses },
      },
      spec: {
        type: 'LoadBalancer',
        allocateLoadBalancerNodePorts: false,
        ipFamilies: [family],
        ports: [{ port: 80, protocol: 'TCP' }],
      },
    });
  }

  async remove(name: string): Promise<void> {
    await this.deployed.cluster.delete(services, { namespace: workNamespace, name });
  }

  async untilAddressed(name: string): Promise<void> {
    const { cluster } = this.deployed;
    await eventually(
      async () => {
        const found = await cluster.get(services, { namespace: workNamespace, name });
        if (addressesOf(found).length === 0) throw new Error(`${name} has no address`);
      },
      { withinMs: 60_000, everyMs: 20 },
    );
  }

  async untilGone(name: string): Promise<void> {
    const { cluster } = this.deployed;
    await eventually(
      async () => {
        const isThere = await cluster.get(services, { namespace: workNamespace, name }).then(
          () => true,
          (error: unknown) => !isNotFound(error),
        );
        if (isThere) throw new Error(`${name} is still there`);
      },
      { withinMs: 60_000, everyMs: 5 },
    );
  }

  /** Writes so far, by what was written: `patch services/status`. */
  writes(name: ProgramName): ReadonlyMap<string, number> {
    const user = `${userOf(name)} `;
    const own = [...this.deployed.api.requests()].filter(([what]) => what.startsWith(user));
    const named = own.map(([what, count]) => [what.slice(user.length), count] as const);
    return new Map(named.filter(([what]) => isWrite(what)));
  }

  /** Writes that were refused as conflicts so far, each as `PROGRAM: VERB RESOURCE`. */
  conflicts(): readonly string[] {
    const programs = ['agent', 'allocator'] as const;
    return this.deployed.api.conflicts().flatMap((what) => {
      const program = programs.find((each) => what.startsWith(`${userOf(each)} `));
      return program === undefined ? [] : [`${program}: ${what.slice(userOf(program).length + 1)}`];
    });
  }
}

function isWrite(what: string): boolean {
  return /^(create|update|patch|delete) /.test(what);
}

async function untilReady(ip: string): Promise<void> {
  await eventually(
    async () => {
      const { status } = await fetch(`http://${ip}:7472/readyz`);
      if (status !== 200) throw new Error(`${ip} is not ready`);
    },
    { withinMs: 60_000, everyMs: 10 },
  );
}

/** With 16 at a time: as fast as the API server takes them. */
export async function forAll<T>(
  items: Iterable<T>,
  action: (item: T) => Promise<void>,
): Promise<void> {
  const next = items[Symbol.iterator]();
  const worker = async () => {
    for (let turn = next.next(); turn.done !== true; turn = next.next()) await action(turn.value);
  };
  await Promise.all(Array.from({ length: 16 }, worker));
}
