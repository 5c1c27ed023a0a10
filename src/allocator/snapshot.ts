/** What is watched and what is on its way → the state that `allocate` decides from. */

import { acceptPools } from '../decide/allocation/accept-pools.ts';
import type {
  AllocationSettings,
  AllocationState,
  SourceAnswer,
  SubnetSighting,
} from '../decide/allocation/allocation-state.ts';
import type { Labels } from '../model/identity.ts';
import type { LoadBalancer } from '../model/load-balancer.ts';
import type { ServiceWrite } from './service-writer.ts';
import type { WatchedObjects } from './watched-objects.ts';

export interface SnapshotSources {
  readonly objects: Pick<WatchedObjects, 'services' | 'groups' | 'namespaces'>;
  /** Writes that are on their way, by the Service's key. */
  readonly pending: ReadonlyMap<string, ServiceWrite>;
  readonly subnets: readonly SubnetSighting[] | undefined;
  readonly lostHolders: ReadonlyMap<string, number>;
  readonly answers: ReadonlyMap<string, SourceAnswer>;
  readonly policyReverts: ReadonlyMap<string, number>;
  readonly settings: AllocationSettings;
  readonly installNamespace: string;
  /** Epoch ms. */
  readonly now: number;
}

export function takeSnapshot(sources: SnapshotSources): AllocationState {
  const { objects, pending, installNamespace, ...rest } = sources;
  const services = readServices(objects, pending);
  const groups = [...objects.groups.values()].flatMap(({ group }) => group ?? []);
  const namespaces = new Map<string, Labels>();
  for (const { metadata, labels } of objects.namespaces.values()) {
    namespaces.set(metadata.name, labels);
  }
  const pools = acceptPools({ groups, services, installNamespace });
  return { ...rest, services, pools, namespaces };
}

function readServices(
  { services }: SnapshotSources['objects'],
  pending: SnapshotSources['pending'],
): readonly LoadBalancer[] {
  const all: LoadBalancer[] = [];
  for (const [key, { balancer }] of services.entries()) {
    if (balancer === undefined) continue;
    const write = pending.get(key);
    all.push(write === undefined ? balancer : holdBoth(balancer, write));
  }
  return all;
}

/** Until a write is answered the Service holds what it had and what it is to have: neither may go to anyone else. */
function holdBoth(service: LoadBalancer, { decision }: ServiceWrite): LoadBalancer {
  const { ingress, pools } = service.grant;
  const wanted = decision.grant;
  const grant = {
    ...service.grant,
    isOurs: service.grant.isOurs || wanted.isOurs,
    ingress: [...new Set([...ingress, ...wanted.ingress])],
    pools: [...new Set([...pools, ...wanted.pools])],
  };
  return { ...service, grant };
}
