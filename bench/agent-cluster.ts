/** What the agent's bench runs on: five nodes with the shipped programs, and pools with room for thousands. */

import { eventually } from '../lab/eventually.ts';
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
import type { ProgramName } from '../test/deployed-program.ts';

export const nodeCount = 5;

/** `careful`: the default, which looks at the wire before an address is used; `blind` does not. */
export type GroupName = 'careful' | 'blind';

/** Reserved for benchmarks (RFC 2544): a subnet of the nodes' LAN beside its own. */
const subnet = '198.18.0.0/19';
const ipv6Subnet = '2001:db8:1::/64';
const blocks = {
  careful: ['198.18.4.0-198.18.15.255', '1'],
  blind: ['198.18.16.0-198.18.31.250', '2'],
};

function groupObject(name: GroupName, extra: object): KubeObject {
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

const configuration: KubeObject = {
  apiVersion: 'purelb.io/v2',
  kind: 'LBNodeAgent',
  metadata: { name: 'default', namespace: installNamespace },
  spec: { local: {} },
};

export interface ServiceWish {
  readonly group?: GroupName;
  readonly family?: 'IPv4' | 'IPv6';
  readonly ip?: string;
}

export class AgentCluster implements AsyncDisposable {
  readonly deployed: DeployedCluster;
  /** By node, the first being node1's. */
  readonly agents: HostProcess[] = [];

  static async open(): Promise<AgentCluster> {
    const deployed = await DeployedCluster.open(nodeCount);
    for (const host of [...deployed.lab.nodes, deployed.client]) {
      const number = host.ipv4.split('.').at(-1);
      await host.run(['ip', 'address', 'add', `198.18.0.${number}/19`, 'dev', 'eth0']);
    }
    const off = { conflictCheck: { mode: 'Off' } };
    await deployed.install([configuration, groupObject('careful', {}), groupObject('blind', off)]);
    await deployed.startAllocator();
    const opened = new AgentCluster(deployed);
    await opened.startAgents();
    await Promise.all(deployed.lab.nodes.map((host) => startResponder(host)));
    return opened;
  }

  private constructor(deployed: DeployedCluster) {
    this.deployed = deployed;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.deployed[Symbol.asyncDispose]();
  }

  async startAgents(): Promise<void> {
    const numbers = this.deployed.lab.nodes.map((_, index) => index + 1);
    const started = await Promise.all(numbers.map((number) => this.deployed.startAgent(number)));
    this.agents.splice(0, this.agents.length, ...started);
    await Promise.all(this.deployed.lab.nodes.map(({ ipv4 }) => untilReady(ipv4)));
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
    return new Map(named.filter(([what]) => /^(create|update|patch|delete) /.test(what)));
  }
}

async function untilReady(ip: string): Promise<void> {
  await eventually(
    async () => {
      const { status } = await fetch(`http://${ip}:7472/readyz`);
      if (status !== 200) throw new Error(`${ip} is not ready`);
    },
    { withinMs: 60_000, everyMs: 50 },
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
