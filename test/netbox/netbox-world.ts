/** Allocators, an API server and a Netbox, on one clock. */

import assert from 'node:assert/strict';
import { seededIdentities } from '../../lab/api/rest/identities.ts';
import type { Fate } from '../../lab/netbox/memory-transport.ts';
import { tenant } from '../../lab/netbox/set-up.ts';
import { NetboxRoom } from '../../src/ipam/netbox-room.fixture.ts';
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
    const wish = { fateOf: () => this.fateOf(), pool: 'default', latencyMs: () => this.below(40) };
    return this.cluster.start({}, { openSource: () => this.room.open(wish).source });
  }

  service(name: string, spec: object = {}): void {
    const ports = [{ port: 80, protocol: 'TCP' }];
    const body = { apiVersion: 'v1', kind: 'Service', metadata: { name } };
    this.cluster.send('POST', servicesPath, {
      ...body,
      spec: { type: 'LoadBalancer', ports, ...spec },
    });
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
