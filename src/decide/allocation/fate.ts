/** Whether a Service is ours to serve, ours to release, or none of our business. */

import type { Condition } from '../../model/condition.ts';
import type { Ip } from '../../model/ip.ts';
import type { AddressGrant, LoadBalancer } from '../../model/load-balancer.ts';
import { ignoredServices } from '../../model/well-known-names.ts';
import type { AllocationSettings } from './allocation-state.ts';

export type Fate =
  | { readonly kind: 'serve' }
  | { readonly kind: 'release'; readonly cause: ReleaseCause }
  | { readonly kind: 'ignore'; readonly why: string };

/** `class`: it has become another controller's, whose addresses and finalizer stay. */
export type ReleaseCause = 'deleted' | 'type' | 'class';

/** `isInPool`: whether an address lies in a range that we manage. */
export function fateOf(
  service: LoadBalancer,
  settings: AllocationSettings,
  isInPool: (ip: Ip) => boolean,
): Fate {
  if (ignoredServices.has(service.key)) return ignore('it is one of the cluster itself');
  if (isForeignClass(service, settings)) return fateOfForeignClass(service, isInPool);
  if (service.identity.isDeleting) return fateOfDeleted(service);
  if (!service.isLoadBalancer) {
    return isMarked(service) ? release('type') : ignore(`it is of type ${service.type}`);
  }
  if (service.loadBalancerClass === undefined && !settings.isDefaultAnnouncer) {
    return ignore('it has no loadBalancerClass, and PureLB is not the default announcer');
  }
  if (!service.hasClusterIp) return ignore('it has no cluster IP');
  return isTakenByOthers(service.grant, isInPool) ? ignore('its addresses are not ours') : serve;
}

function isForeignClass(service: LoadBalancer, { classes }: AllocationSettings): boolean {
  const { loadBalancerClass } = service;
  return loadBalancerClass !== undefined && !classes.includes(loadBalancerClass);
}

/**
 * The class cannot change while the type is LoadBalancer. So what holds addresses of ours was given them before the
 * list of our classes changed, and keeps them; marks without them are left from an earlier life of the Service.
 */
function fateOfForeignClass(service: LoadBalancer, isInPool: (ip: Ip) => boolean): Fate {
  const { grant, identity } = service;
  const why = `its loadBalancerClass is ${service.loadBalancerClass}`;
  if (!isMarked(service)) return ignore(why);
  if (!grant.isOurs || !grant.ingress.some(isInPool)) return release('class');
  return identity.isDeleting ? release('deleted') : ignore(why);
}

/** The finalizer is that of every load balancer controller: without a mark or a class of ours it is not ours. */
function fateOfDeleted(service: LoadBalancer): Fate {
  const hasOurFinalizer = service.hasFinalizer && service.loadBalancerClass !== undefined;
  return isMarked(service) || hasOurFinalizer ? release('deleted') : ignore('it is being deleted');
}

/** A write that was cut off may have left an address without our brand: in a range of ours, it can only be ours. */
function isTakenByOthers(grant: AddressGrant, isInPool: (ip: Ip) => boolean): boolean {
  if (grant.isOurs || (grant.record?.ips ?? []).length > 0) return false;
  return grant.hasForeignIngress || !grant.ingress.every(isInPool);
}

/** Carries anything that only our programs write. */
function isMarked({ grant, conditions }: LoadBalancer): boolean {
  const { isOurs, pools, poolType, prefixes, skipsDad, slots, addedTo } = grant;
  const slotted = [slots, grant.strayFamilies];
  const lists = [pools, prefixes, ...slotted, conditions.filter(isAllocated)];
  return (
    isOurs ||
    skipsDad ||
    poolType !== undefined ||
    addedTo !== undefined ||
    lists.some((list) => list.length > 0)
  );
}

/** Whether the finalizer is there because of us: it comes with addresses, and there it stays without our brand. */
export function ownsFinalizer({ grant, conditions, loadBalancerClass }: LoadBalancer): boolean {
  const hadAddresses = conditions.some(
    (condition) => isAllocated(condition) && condition.status === 'True',
  );
  return grant.isOurs || hadAddresses || loadBalancerClass !== undefined;
}

function isAllocated({ type }: Condition): boolean {
  return type === 'Allocated';
}

const serve: Fate = { kind: 'serve' };

function ignore(why: string): Fate {
  return { kind: 'ignore', why };
}

function release(cause: ReleaseCause): Fate {
  return { kind: 'release', cause };
}
