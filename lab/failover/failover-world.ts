/** A cluster with one Service of both families, for trying what becomes of its addresses. */

import { mergePatch } from '../../src/kube/patch.ts';
import { services } from '../../src/kube/resources.ts';
import type { Family, Ip } from '../../src/model/ip.ts';
import type { KubeObject } from '../../src/model/kube-object.ts';
import type { LabCluster } from '../cluster/lab-cluster.ts';
import { type ClusterOptions, startCluster } from '../cluster/start-cluster.ts';
import { addressesOf } from '../cluster/workload.ts';
import { eventually } from '../eventually.ts';
import { monotonicMs } from '../monotonic.ts';
import type { HolderChange } from './holder-log.ts';

export const port = 7777;
const name = 'failover';
const namespace = 'default';
const app = { app: name };
const patienceMs = 60_000;

export class FailoverWorld implements AsyncDisposable {
  readonly cluster: LabCluster;
  readonly ips: Readonly<Record<Family, Ip>>;

  static async open(options: ClusterOptions = {}): Promise<FailoverWorld> {
    // Kubernetes is slow to notice: what it does about its own pods is not what is measured here.
    const cluster = await startCluster({ heartbeatMs: 15_000, ...options });
    try {
      await cluster.create(deployment);
      await cluster.create(service);
      const [ipv4, ipv6] = await eventually(
        async () => {
          const given = addressesOf(await cluster.cluster.get(services, { namespace, name }));
          if (given.length < 2) throw new Error(`the Service has ${given.length} addresses`);
          return given as readonly Ip[];
        },
        { withinMs: patienceMs, everyMs: 100 },
      );
      return new FailoverWorld(cluster, { ipv4: ipv4 as Ip, ipv6: ipv6 as Ip });
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
    const first = this.cluster.nodes[0]?.lan;
    return this.cluster.nodes.filter(({ lan }) => lan === first).map(({ name: node }) => node);
  }

  /** Writes down who has the address, from now until it is told to stop. */
  follow(ip: Ip): () => readonly HolderChange[] {
    const changes: HolderChange[] = [{ at: monotonicMs(), holders: this.holders(ip) }];
    const stop = this.cluster.subscribe(() => {
      const holders = this.holders(ip);
      if (holders.join() !== changes.at(-1)?.holders.join()) {
        changes.push({ at: monotonicMs(), holders });
      }
    });
    return () => {
      stop();
      return changes;
    };
  }

  async annotate(annotations: Readonly<Record<string, string | null>>): Promise<void> {
    const patch = mergePatch({ metadata: { annotations } });
    await this.cluster.cluster.patch(services, { namespace, name }, patch);
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

/** On the second LAN: Kubernetes goes on forwarding to dead pods for seconds, which is not what is measured here. */
const deployment: KubeObject = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name, namespace },
  spec: {
    replicas: 2,
    selector: { matchLabels: app },
    template: {
      metadata: { labels: app },
      spec: {
        nodeSelector: { 'topology.kubernetes.io/zone': 'lan2' },
        containers: [
          {
            name: 'echo',
            image: 'lab/echo',
            ports: [{ containerPort: port }],
            readinessProbe: { tcpSocket: { port }, periodSeconds: 1 },
          },
        ],
      },
    },
  },
};

const service: KubeObject = {
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name, namespace },
  spec: {
    type: 'LoadBalancer',
    ipFamilyPolicy: 'RequireDualStack',
    ipFamilies: ['IPv4', 'IPv6'],
    selector: app,
    ports: [
      { name: 'udp', protocol: 'UDP', port, targetPort: port },
      { name: 'tcp', protocol: 'TCP', port, targetPort: port },
    ],
  },
};
