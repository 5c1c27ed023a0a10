/** What a source has on record and what Services hold from it: what nobody holds any more, and what is not recorded. */

import type { Family, Ip } from '../../model/ip.ts';
import type { LoadBalancer } from '../../model/load-balancer.ts';
import type { Pool } from '../../model/pool.ts';
import type { AllocationState } from './allocation-state.ts';
import { Places } from './place.ts';
import { slotKey, slotOwner } from './source-slots.ts';

export interface RecordedSlot {
  readonly owner: string;
  readonly family: Family;
  readonly ip: Ip;
}

export interface Discrepancies {
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
  const users = services.filter((service) => isUser(service, pool));
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
  const isSuspicious = orphans.length > few && orphans.length * 2 > records.length;
  const missing = unrecorded.filter(({ ip }) => !formerOwners.has(ip));
  return { orphans, isSuspicious, missing, misplaced };
}

/** By the status or by the annotations: whoever takes one of them off frees nothing. */
function isUser({ grant }: LoadBalancer, { name }: Pool): boolean {
  const isNamed = grant.isOurs && grant.pools.includes(name);
  return isNamed || grant.record?.pools.includes(name) === true;
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
