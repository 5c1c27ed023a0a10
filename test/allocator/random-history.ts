/** What people do to a cluster, at random but repeatably: Services and groups come, change and go. */

import type { KubeObject } from '../../src/model/kube-object.ts';
import { installNamespace } from './allocator-world.ts';
import type { SimulatedCluster } from './simulated-cluster.ts';

export type Pick = <T>(choices: readonly T[]) => T;

const groupsPath = `/apis/purelb.io/v2/namespaces/${installNamespace}/servicegroups`;
const leasesPath = `/apis/coordination.k8s.io/v1/namespaces/${installNamespace}/leases`;
const v4Subnet = '192.0.2.0/24';
const v6Subnet = '2001:db8::/64';

/** Forms that each group has in turn; the small one is often full. */
const groupForms: Readonly<Record<string, readonly object[]>> = {
  default: [
    {
      local: {
        v4pool: { subnet: v4Subnet, pool: '192.0.2.8/29' },
        v6pool: { subnet: v6Subnet, pool: '2001:db8::8/125' },
      },
    },
    {
      externalTrafficPolicy: 'Preserve',
      local: {
        v4pool: { subnet: v4Subnet, pool: '192.0.2.8-192.0.2.12' },
        v6pool: { subnet: v6Subnet, pool: '2001:db8::8/125' },
        releaseCooldown: '30s',
      },
    },
  ],
  small: [
    { remote: { v4pool: { subnet: '198.51.100.0/24', pool: '198.51.100.1-198.51.100.2' } } },
    { remote: { v4pool: { subnet: '198.51.100.0/24', pool: '198.51.100.1-198.51.100.3' } } },
    { remote: { v4pool: { subnet: '198.51.100.0/24', pool: 'not a range' } } },
  ],
  spread: [
    {
      local: {
        multiPool: true,
        v4pools: [
          { subnet: v4Subnet, pool: '192.0.2.64/30' },
          { subnet: '203.0.113.0/24', pool: '203.0.113.64/30' },
        ],
      },
    },
  ],
};

export class RandomHistory {
  readonly #cluster: SimulatedCluster;
  readonly #pick: Pick;
  readonly trace: string[] = [];
  /** Addresses that an agent has reported to be someone else's. */
  readonly reported = new Set<string>();
  #count = 0;

  constructor(cluster: SimulatedCluster, pick: Pick) {
    this.#cluster = cluster;
    this.#pick = pick;
  }

  /** One thing that somebody does; what the server refuses is passed over. */
  step(): void {
    const act = this.#pick<() => void>([
      ...Array(6).fill(() => this.#createService()),
      ...Array(3).fill(() => this.#removeService()),
      () => this.#changeType(),
      () => this.#reEvaluate(),
      () => this.#reportConflict(),
      () => this.#forge(),
      () => this.#forge(),
      () => this.#writeGroup(),
      () => this.#writeGroup(),
      () => this.#removeGroup(),
      () => this.#renewNode(),
      () => this.#createForeign(),
      () => this.#setPolicy(),
    ]);
    try {
      act();
    } catch (error) {
      this.trace.push(`  refused: ${error instanceof Error ? error.message : error}`);
    }
  }

  #do(method: string, path: string, body?: unknown): void {
    this.trace.push(`${method} ${path} ${body === undefined ? '' : JSON.stringify(body)}`);
    this.#cluster.send(method, path, body);
  }

  get #ours(): readonly KubeObject[] {
    const all = this.#cluster.list('/api/v1/services');
    return all.filter(({ metadata }) => metadata.name.startsWith('s'));
  }

  #createService(): void {
    this.#count += 1;
    const pick = this.#pick;
    const key = pick([undefined, undefined, 'k1', 'k2']);
    const group = pick([undefined, undefined, 'default', 'small', 'spread', 'nowhere']);
    const wish = pick([undefined, undefined, undefined, undefined, '192.0.2.9', '2001:db8::9']);
    const annotations = {
      ...(key === undefined ? {} : { 'purelb.io/allow-shared-ip': key }),
      ...(group === undefined ? {} : { 'purelb.io/service-group': group }),
      ...(wish === undefined ? {} : { 'purelb.io/addresses': wish }),
    };
    const stack = pick([
      {},
      {},
      { ipFamilies: ['IPv6'] },
      { ipFamilyPolicy: 'RequireDualStack', ipFamilies: ['IPv4', 'IPv6'] },
      { ipFamilyPolicy: 'PreferDualStack', ipFamilies: ['IPv6', 'IPv4'] },
    ]);
    const ports = [{ port: pick([80, 443, 8080]) }];
    const path = `/api/v1/namespaces/${pick(['shop', 'tenant'])}/services`;
    const metadata = { name: `s${this.#count}`, annotations };
    this.#do('POST', path, { metadata, spec: { type: 'LoadBalancer', ports, ...stack } });
  }

  /** Its addresses lie outside of all pools: what others do there is not ours to prevent. */
  #createForeign(): void {
    this.#count += 1;
    const name = `f${this.#count}`;
    const path = '/api/v1/namespaces/shop/services';
    const spec = {
      type: 'LoadBalancer',
      loadBalancerClass: 'example.com/lb',
      ports: [{ port: 80 }],
    };
    this.#do('POST', path, { metadata: { name }, spec });
    const ingress = this.#pick([[{ hostname: 'lb.example.com' }], [{ ip: '192.0.2.200' }]]);
    this.#do('PATCH', `${path}/${name}/status`, { status: { loadBalancer: { ingress } } });
  }

  #someService(): string | undefined {
    const ours = this.#ours;
    if (ours.length === 0) return undefined;
    const { namespace, name } = this.#pick(ours).metadata;
    return `/api/v1/namespaces/${namespace}/services/${name}`;
  }

  #edit(body: object): void {
    const path = this.#someService();
    if (path !== undefined) this.#do('PATCH', path, body);
  }

  #removeService(): void {
    const path = this.#someService();
    if (path !== undefined) this.#do('DELETE', path);
  }

  #changeType(): void {
    this.#edit({ spec: { type: this.#pick(['ClusterIP', 'LoadBalancer']) } });
  }

  #reEvaluate(): void {
    const group = this.#pick([null, 'default', 'small']);
    const annotations = { 'purelb.io/re-evaluate': 'true', 'purelb.io/service-group': group };
    this.#edit({ metadata: { annotations } });
  }

  #setPolicy(): void {
    this.#edit({ spec: { externalTrafficPolicy: 'Local' } });
  }

  get #time(): string {
    return new Date(this.#cluster.clock.now()).toISOString().replace(/\.\d+/, '');
  }

  get #inUse(): readonly string[] {
    return this.#ours.flatMap(({ status }) => ipsIn(status));
  }

  /** An agent says on its own Lease that a host outside the cluster has the address. */
  #reportConflict(): void {
    const ips = this.#inUse;
    if (ips.length === 0) return;
    const ip = this.#pick(ips);
    this.reported.add(ip);
    const annotations = { 'purelb.io/conflicts': `${ip},02:00:00:00:00:01,${this.#time}` };
    this.#do('PATCH', `${leasesPath}/purelb-node-node1`, { metadata: { annotations } });
  }

  /** A tenant writes what only PureLB's programs should, on a Service that has addresses or on one of another type. */
  #forge(): void {
    const ips = [...this.#inUse, '192.0.2.9', '198.51.100.1', '2001:db8::9'];
    const [one, other] = [this.#pick(ips), this.#pick(ips)];
    const forged = this.#pick<Readonly<Record<string, string | null>>>([
      { 'purelb.io/allocated-prefixes': `${one}/2,${other}/8` },
      { 'purelb.io/conflict': `${one},02:00:00:00:00:02,node1,${this.#time}` },
      { 'purelb.io/allocated-by': 'PureLB', 'purelb.io/allocated-prefixes': `${one}/24` },
      { 'purelb.io/allocated-by': null, 'purelb.io/allocated-from': null },
      { 'purelb.io/allocated-from': this.#pick(['default', 'small', 'nowhere']) },
      { 'purelb.io/announcing-IPv4': `${this.#pick(['node1', 'evil'])},eth0,${one}` },
      { 'purelb.io/pool-type': 'remote', 'purelb.io/skip-ipv6-dad': 'true' },
    ]);
    if (this.#pick([true, true, false])) {
      this.#edit({ metadata: { annotations: forged } });
      return;
    }
    this.#count += 1;
    const metadata = { name: `c${this.#count}`, annotations: forged };
    const spec = { type: 'ClusterIP', ports: [{ port: 80 }] };
    this.#do('POST', '/api/v1/namespaces/tenant/services', { metadata, spec });
  }

  #writeGroup(): void {
    const name = this.#pick(Object.keys(groupForms));
    const spec = this.#pick(groupForms[name] ?? []);
    const isThere = this.#cluster.list(groupsPath).some(({ metadata }) => metadata.name === name);
    if (isThere) {
      const clean = { local: null, remote: null, externalTrafficPolicy: null, ...spec };
      this.#do('PATCH', `${groupsPath}/${name}`, { spec: clean });
    } else {
      const apiVersion = 'purelb.io/v2';
      this.#do('POST', groupsPath, { apiVersion, kind: 'ServiceGroup', metadata: { name }, spec });
    }
  }

  #removeGroup(): void {
    const groups = this.#cluster.list(groupsPath);
    if (groups.length > 1) this.#do('DELETE', `${groupsPath}/${this.#pick(groups).metadata.name}`);
  }

  #renewNode(): void {
    const node = this.#pick(['node1', 'node2']);
    const name = `purelb-node-${node}`;
    const subnets = node === 'node1' ? `${v4Subnet},${v6Subnet}` : '203.0.113.0/24';
    const renewTime = new Date(this.#cluster.clock.now()).toISOString().replace('Z', '000Z');
    const spec = { holderIdentity: node, leaseDurationSeconds: 10, renewTime };
    const metadata = { name, annotations: { 'purelb.io/subnets': subnets } };
    const isThere = this.#cluster.list(leasesPath).some((lease) => lease.metadata.name === name);
    if (isThere) this.#do('PATCH', `${leasesPath}/${name}`, { spec });
    else this.#do('POST', leasesPath, { metadata, spec });
  }
}

export function ipsIn(status: unknown): readonly string[] {
  const { loadBalancer } = (status ?? {}) as {
    loadBalancer?: { ingress?: readonly { ip?: string }[] };
  };
  return (loadBalancer?.ingress ?? []).flatMap(({ ip }) => ip ?? []);
}
