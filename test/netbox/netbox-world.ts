/** Allocators, an API server and a Netbox, on one clock. */

import assert from 'node:assert/strict';
import { seededIdentities } from '../../lab/api/rest/identities.ts';
import type { Fate } from '../../lab/netbox/memory-transport.ts';
import { tenant } from '../../lab/netbox/set-up.ts';
import { NetboxRoom } from '../../src/ipam/netbox-room.fixture.ts';
import type { RestRequest } from '../../src/ipam/rest-transport.ts';
import type { Pool } from '../../src/model/pool.ts';
import { installNamespace, lookAt } from '../allocator/allocator-world.ts';
import { type SimulatedAllocator, SimulatedCluster } from '../allocator/simulated-cluster.ts';

export const groupsPath = `/apis/purelb.io/v2/namespaces/${installNamespace}/servicegroups`;
export const servicesPath = '/api/v1/namespaces/shop/services';
const prefixes = ['198.51.100.0/26', '2001:db8::/120'];

export class NetboxWorld {
  readonly cluster: SimulatedCluster;
  readonly room: NetboxRoom;
  readonly below: (limit: number) => number;
  fateOf: () => Fate = () => ({ kind: 'served' });
  /** A request takes so long at most, each way. */
  slowestMs = 40;
  /** Every request, as `METHOD path`. */
  readonly requests: string[] = [];

  constructor(seed: number) {
    this.cluster = new SimulatedCluster(seed);
    this.below = seededIdentities(seed).pick;
    const { clock } = this.cluster;
    this.room = new NetboxRoom({ prefixes, clock });
    const type = { apiVersion: 'purelb.io/v2', kind: 'ServiceGroup' };
    const netbox = { url: 'https://netbox.example', tenant, prefixes };
    this.cluster.send('POST', groupsPath, {
      ...type,
      metadata: { name: 'default' },
      spec: { netbox },
    });
  }

  start(): SimulatedAllocator {
    const fateOf = ({ method, path }: RestRequest) => {
      this.requests.push(`${method} ${path}`);
      return this.fateOf();
    };
    const latencyMs = () => this.below(this.slowestMs);
    const openSource = ({ name: pool }: Pool) => this.room.open({ fateOf, pool, latencyMs }).source;
    return this.cluster.start({}, { openSource });
  }

  /** How many requests with this method were made so far. */
  count(method: string): number {
    return this.requests.filter((request) => request.startsWith(`${method} `)).length;
  }

  service(name: string, spec: object = {}, annotations: Record<string, string> = {}): void {
    const ports = [{ port: 80, protocol: 'TCP' }];
    const body = { apiVersion: 'v1', kind: 'Service', metadata: { name, annotations } };
    this.cluster.send('POST', servicesPath, {
      ...body,
      spec: { type: 'LoadBalancer', ports, ...spec },
    });
  }

  /** Addresses that Services hold and Netbox does not have on record. */
  unrecorded(): readonly string[] {
    const recorded = new Set(this.room.records().map((text) => text.split('/')[0]));
    const held = this.cluster.list(servicesPath).flatMap((object) => lookAt(object).ingress);
    return held.filter((ip) => !recorded.has(ip));
  }

  /** `address owner`, where Netbox has it and where Services have it. */
  compare(): void {
    const held = this.cluster
      .list(servicesPath)
      .flatMap((object) =>
        lookAt(object).ingress.map((ip) => `${ip} cluster-uid/default/${object.metadata.uid}`),
      );
    const recorded = this.room.records().map((text) => {
      const [address = '', , slot = ''] = text.split(' ');
      return `${address.split('/')[0]} ${slot.slice(0, -2)}`;
    });
    assert.deepEqual(recorded.sort(), held.sort());
  }
}
