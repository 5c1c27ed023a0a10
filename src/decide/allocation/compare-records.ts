/** What a source has on record and what Services hold from it: what nobody holds any more, and what is not recorded. */

import type { Family, Ip } from '../../model/ip.ts';
import type { LoadBalancer } from '../../model/load-balancer.ts';
import type { Pool } from '../../model/pool.ts';
import type { AllocationState } from './allocation-state.ts';
import { Places } from './place.ts';
import { usesPool } from './pool-users.ts';
import { slotKey, slotOwner } from './source-slots.ts';

export interface RecordedSlot {
  readonly owner: string;
  readonly family: Family;
  readonly ip: Ip;
}

export interface Discrepancies {
  /** How many Services use the pool. */
  readonly users: number;
  /** Keys of slots that no Service has any use for. */
  readonly orphans: readonly string[];
  /** So many would go that something else must be wrong: none should. */
  readonly isSuspicious: boolean;
  readonly missing: readonly MissingRecord[];
  /** Held, and on record in a slot that no Service has any use for: the slot has another name now. */
  readonly misplaced: readonly MisplacedRecord[];
}

export interface MissingRecord {
  readonly service: LoadBalancer;
  readonly ip: Ip;
  readonly family: Family;
}

export interface MisplacedRecord extends MissingRecord {
  /** The owner of the slot that it is in. */
  readonly formerOwner: string;
}

/** So few are no sign of a wrong cluster identifier, whatever share of all they are. */
const few = 2;

export function compareRecords(
  pool: Pool,
  records: readonly RecordedSlot[],
  { services, pools }: Pick<AllocationState, 'services' | 'pools'>,
): Discrepancies {
  const places = new Places(pools);
  const users = services.filter((service) => usesPool(service, pool.name));
  const held = users.flatMap((service) => heldFrom(service, pool, places));
  const wanted = new Set(users.flatMap((service) => wantedSlots(service, pool, held)));
  const unwanted = records.filter(({ owner, family }) => !wanted.has(slotKey(owner, family)));
  const recorded = new Set(
    records.map((record) => `${slotKey(record.owner, record.family)} ${record.ip}`),
  );
  const unrecorded = held.filter(
    ({ service, family, ip }) =>
      !service.identity.isDeleting &&
      !recorded.has(`${slotKey(slotOwner(service, pool), family)} ${ip}`),
  );
  const formerOwners = new Map(unwanted.map(({ ip, owner }) => [ip, owner]));
  const misplaced = unrecorded.flatMap((each) => {
    const formerOwner = formerOwners.get(each.ip);
    return formerOwner === undefined ? [] : [{ ...each, formerOwner }];
  });
  // Whatever slot it is in, what a Service holds stays on record.
  const inUse = new Set(users.flatMap(({ grant }) => grant.ingress));
  const orphans = unwanted
    .filter(({ ip }) => !inUse.has(ip))
    .map(({ owner, family }) => slotKey(owner, family));
  const isMost = orphans.length > few && orphans.length * 2 > records.length;
  const isSuspicious = isMost && !isClearing(pool, pools, users.length);
  const missing = unrecorded.filter(({ ip }) => !formerOwners.has(ip));
  return { users: users.length, orphans, isSuspicious, missing, misplaced };
}

/**
 * A cluster is known by the UID of its namespace kube-system, unless someone chose another name for it: only then can
 * two clusters have the same. A group that is being deleted and that nobody uses has orphans only.
 */
function isClearing(pool: Pool, { byName }: AllocationState['pools'], users: number): boolean {
  const current = byName.get(pool.name);
  if (users > 0 || current?.identity.isDeleting !== true) return false;
  return current.source.kind === 'netbox' && current.source.clusterId === undefined;
}

function heldFrom(service: LoadBalancer, pool: Pool, places: Places): readonly MissingRecord[] {
  return service.grant.ingress
    .map((ip) => places.findHeld(ip, service))
    .filter((place) => place.pool?.name === pool.name)
    .map(({ ip, family }) => ({ service, ip, family }));
}

/** One that asks, or is about to give back, may have any; one that is served has use for what it holds. */
function wantedSlots(
  service: LoadBalancer,
  pool: Pool,
  held: readonly MissingRecord[],
): readonly string[] {
  const own = held.filter((each) => each.service === service).map(({ family }) => family);
  const isServed = own.length > 0 && own.length >= service.families.length;
  const families: readonly Family[] =
    isServed && !service.identity.isDeleting ? own : ['ipv4', 'ipv6'];
  return families.map((family) => slotKey(slotOwner(service, pool), family));
}
