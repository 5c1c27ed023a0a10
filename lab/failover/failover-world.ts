/** A cluster with one Service of both families, for trying what becomes of its addresses. */

import { mergePatch } from '../../src/kube/patch.ts';
import { lbNodeAgents, nodes, services } from '../../src/kube/resources.ts';
import type { Family, Ip } from '../../src/model/ip.ts';
import { installNamespace } from '../cluster/installed-objects.ts';
import type { LabCluster } from '../cluster/lab-cluster.ts';
import { type ClusterOptions, startCluster } from '../cluster/start-cluster.ts';
import { addressesOf } from '../cluster/workload.ts';
import { eventually } from '../eventually.ts';
import { monotonicMs } from '../monotonic.ts';
import { chooseAlike } from './alike-addresses.ts';
import type { HolderChange } from './holder-log.ts';
import { deployment, name, namespace, service } from './measured-service.ts';

const patienceMs = 60_000;

export interface Following {
  /** Of all changes there were so far. */
  readonly count: () => number;
  readonly end: () => ReadonlyMap<Ip, readonly HolderChange[]>;
}

export class FailoverWorld implements AsyncDisposable {
  readonly cluster: LabCluster;
  readonly ips: Readonly<Record<Family, Ip>>;

  static async open(options: ClusterOptions = {}): Promise<FailoverWorld> {
    // Kubernetes is slow to notice: what it does about its own pods is not what is measured here.
    const cluster = await startCluster({ heartbeatMs: 15_000, ...options });
    try {
      // One scenario after the other moves the same addresses, which would stay put after the third.
      await configure(cluster, { failover: { damping: { hold: '0s' } } });
      await cluster.create(deployment);
      const ips = chooseAlike(candidatesOf(cluster));
      await cluster.create(service(name, Object.values(ips)));
      await eventually(
        async () => {
          const given = addressesOf(await cluster.cluster.get(services, { namespace, name }));
          if (given.length < 2) throw new Error(`the Service has ${given.length} addresses`);
        },
        { withinMs: patienceMs, everyMs: 100 },
      );
      return new FailoverWorld(cluster, ips);
    } catch (error) {
      await cluster.stop();
      throw error;
    }
  }

  private constructor(cluster: LabCluster, ips: Readonly<Record<Family, Ip>>) {
    this.cluster = cluster;
    this.ips = ips;
  }

  holders(ip: Ip): readonly string[] {
    return this.cluster.addresses.filter((held) => held.ip === ip).map(({ node }) => node);
  }

  /** The one that has it; there must be one. */
  holder(ip: Ip): string {
    const [holder] = this.holders(ip);
    if (holder === undefined) throw new Error(`nobody has ${ip}`);
    return holder;
  }

  /** Resolves when exactly one has it. */
  async held(ip: Ip): Promise<void> {
    await eventually(
      () => {
        const holders = this.holders(ip);
        if (holders.length !== 1) throw new Error(`${ip} is on [${holders.join()}]`);
      },
      { withinMs: patienceMs },
    );
  }

  /** Of the first LAN, where the addresses belong. */
  get candidates(): readonly string[] {
    return candidatesOf(this.cluster);
  }

  /** Brings both addresses to one node, if something has parted them. */
  async gather(): Promise<void> {
    await this.settled(0);
    const { ipv4, ipv6 } = this.ips;
    const target = this.holder(ipv4);
    if (this.holder(ipv6) === target) return;
    await this.annotate({ 'purelb.io/move': `${ipv6}=${target}` });
    await eventually(
      () => {
        const holders = this.holders(ipv6).join();
        if (holders !== target) throw new Error(`${ipv6} is on [${holders}], not on ${target}`);
      },
      { withinMs: patienceMs },
    );
    await this.annotate({ 'purelb.io/move': null });
  }

  /** Writes down who has which of the local addresses there are, from now to its end. */
  follow(): Following {
    const start = monotonicMs();
    let count = 0;
    const changes = new Map(
      [...this.#holdersByIp()].map(([ip, holders]) => [ip, [{ at: start, holders }]]),
    );
    const stop = this.cluster.subscribe(() => {
      const now = this.#holdersByIp();
      for (const [ip, log] of changes) {
        const holders = now.get(ip) ?? [];
        if (holders.join() === log.at(-1)?.holders.join()) continue;
        log.push({ at: monotonicMs(), holders });
        count += 1;
      }
    });
    const end = () => {
      stop();
      return changes;
    };
    return { count: () => count, end };
  }

  #holdersByIp(): ReadonlyMap<Ip, readonly string[]> {
    const byIp = Map.groupBy(this.cluster.addresses, ({ ip }) => ip);
    return new Map([...byIp].map(([ip, held]) => [ip, held.map(({ node }) => node)]));
  }

  /** Of all agents: `spec.local` of their LBNodeAgent. */
  async configure(local: object): Promise<void> {
    await configure(this.cluster, local);
  }

  async annotate(annotations: Readonly<Record<string, string | null>>): Promise<void> {
    const patch = mergePatch({ metadata: { annotations } });
    await this.cluster.cluster.patch(services, { namespace, name }, patch);
  }

  /** By the label that Kubernetes has for it. */
  async exclude(node: string, isExcluded: boolean): Promise<void> {
    const label = 'node.kubernetes.io/exclude-from-external-load-balancers';
    const patch = mergePatch({ metadata: { labels: { [label]: isExcluded ? '' : null } } });
    await this.cluster.cluster.patch(nodes, { name: node }, patch);
  }

  /** All is on and running, and each address has exactly one holder for a while. */
  async settled(calmMs = 1500): Promise<void> {
    let calmSince = monotonicMs();
    await eventually(
      () => {
        const problem = this.#problem();
        if (problem !== undefined) {
          calmSince = monotonicMs();
          throw new Error(problem);
        }
        if (monotonicMs() - calmSince < calmMs) throw new Error('not calm for long enough yet');
      },
      { withinMs: patienceMs, everyMs: 50 },
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.cluster.stop();
  }

  #problem(): string | undefined {
    const bad = this.cluster.nodes.find(
      ({ power, link, agent }) => power === 'off' || link !== 'up' || agent !== 'running',
    );
    if (bad !== undefined) return `${bad.name} is not in order`;
    const wrong = Object.values(this.ips).find((ip) => this.holders(ip).length !== 1);
    return wrong === undefined ? undefined : `${wrong} is on [${this.holders(wrong).join()}]`;
  }
}

function candidatesOf({ nodes }: LabCluster): readonly string[] {
  return nodes.filter(({ lan }) => lan === nodes[0]?.lan).map(({ name: node }) => node);
}

async function configure({ cluster }: LabCluster, local: object): Promise<void> {
  const everyNode = { namespace: installNamespace, name: 'default' };
  await cluster.patch(lbNodeAgents, everyNode, mergePatch({ spec: { local } }));
}
