/** What is watched and what is on its way → the state that `allocate` decides from. */

import { type AcceptedPools, acceptPools } from '../decide/allocation/accept-pools.ts';
import type {
  AllocationSettings,
  AllocationState,
  SourceAnswer,
  SourceReport,
  SubnetSighting,
} from '../decide/allocation/allocation-state.ts';
import type { Labels } from '../model/identity.ts';
import type { LoadBalancer } from '../model/load-balancer.ts';
import type { Pool } from '../model/pool.ts';
import type { Group } from '../model/read-group.ts';
import type { ServiceWrite } from './service-writer.ts';
import type { WatchedObjects } from './watched-objects.ts';

export interface SnapshotSources {
  readonly objects: Pick<WatchedObjects, 'balancers' | 'groups' | 'namespaces'>;
  /** Writes that are on their way, by the Service's key. */
  readonly pending: ReadonlyMap<string, ServiceWrite>;
  readonly subnets: readonly SubnetSighting[] | undefined;
  readonly lostHolders: ReadonlyMap<string, number>;
  readonly conflicts: AllocationState['conflicts'];
  readonly answers: ReadonlyMap<string, SourceAnswer>;
  readonly returned: ReadonlySet<string>;
  readonly retired: ReadonlyMap<string, Pool>;
  readonly sources: ReadonlyMap<string, SourceReport>;
  readonly policyRewrites: AllocationState['policyRewrites'];
  readonly settings: AllocationSettings;
  readonly installNamespace: string;
  /** Epoch ms. */
  readonly now: number;
}

/**
 * What did not change since the snapshot before is the very same object in the next, the list of Services included:
 * whoever wants to compare two must copy it.
 */
export class Snapshots {
  readonly #services: LoadBalancer[] = [];
  #groups: readonly Group[] = [];
  #pools: AcceptedPools | undefined;

  take(sources: SnapshotSources): AllocationState {
    const { objects, pending, installNamespace, ...rest } = sources;
    const services = this.#readServices(objects, pending);
    const namespaces = new Map<string, Labels>();
    for (const { metadata, labels } of objects.namespaces.values()) {
      namespaces.set(metadata.name, labels);
    }
    const groups = [...objects.groups.values()].flatMap(({ group }) => group ?? []);
    const isSame =
      groups.length === this.#groups.length &&
      groups.every((group, index) => group === this.#groups[index]);
    const known = isSame && this.#pools?.isContested === false ? this.#pools : undefined;
    this.#groups = groups;
    this.#pools = known ?? acceptPools({ groups, services, installNamespace });
    return { ...rest, services, pools: this.#pools, namespaces };
  }

  #readServices(
    { balancers }: SnapshotSources['objects'],
    pending: SnapshotSources['pending'],
  ): readonly LoadBalancer[] {
    const all = this.#services;
    all.length = balancers.all.length;
    balancers.all.forEach((balancer, index) => {
      all[index] = balancer;
    });
    for (const [key, write] of pending) {
      if (write.part === 'spec') continue;
      const index = balancers.indexOf(key);
      const balancer = index === undefined ? undefined : all[index];
      if (index !== undefined && balancer !== undefined) all[index] = holdBoth(balancer, write);
    }
    return all;
  }
}

/** Until a write is answered the Service holds what it had and what it is to have: neither may go to anyone else. */
function holdBoth(service: LoadBalancer, { decision }: ServiceWrite): LoadBalancer {
  const { ingress, pools, record } = service.grant;
  const wanted = decision.grant;
  const grant = {
    ...service.grant,
    isOurs: service.grant.isOurs || wanted.isOurs,
    ingress: [...new Set([...ingress, ...wanted.ingress])],
    pools: [...new Set([...pools, ...wanted.pools])],
    record: record && {
      ips: [...new Set([...record.ips, ...wanted.ingress])],
      pools: [...new Set([...record.pools, ...wanted.pools])],
    },
  };
  return { ...service, grant };
}
