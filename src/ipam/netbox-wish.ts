/** Who has an address that is asked for by name, and whether it can be had. */

import type { Ip } from '../model/ip.ts';
import { failure, isFailure, type Order, type Slot, type SourceFailure } from './address-source.ts';
import { type NetboxBooks, unclear } from './netbox-books.ts';
import { describeFor, isSet, slotField, wasReserved } from './netbox-marks.ts';
import type { NetboxRecord } from './netbox-record.ts';
import type { Step } from './netbox-step.ts';

/** Why a wish cannot be granted, as far as can be told by looking. */
export async function findWishObstacle(
  books: NetboxBooks,
  order: Order,
  wish: Ip,
  signal: AbortSignal,
): Promise<SourceFailure | Step | undefined> {
  if (!books.isByTenant && !books.contains(wish)) {
    return failure('conflict', `has no ${wish} in the group's prefixes and ranges`);
  }
  const holders = await books.holdersOf(wish, signal);
  if (isFailure(holders)) return unclear(holders);
  const [holder] = holders.records;
  if (holder === undefined) {
    return books.isByTenant
      ? failure('conflict', `has no reserved ${wish} for the tenant`)
      : undefined;
  }
  const isFree = isReserved(books, holder) || isOurs(books, holder, order);
  return isFree ? undefined : takenBy(books, wish, holder);
}

/** Reserved for our tenant, and nobody's yet. */
export function isReserved(books: NetboxBooks, record: NetboxRecord): boolean {
  const { tenant } = books.spec;
  const isFree = record.status === 'reserved' && isUnmarked(books, record);
  return isFree && tenant !== undefined && record.tenant === tenant;
}

function isUnmarked(books: NetboxBooks, record: NetboxRecord): boolean {
  return !isSet(record.customFields[slotField]) && books.slotOf(record) === undefined;
}

/** In a slot that is given up for this one, or in none though it says that it is this Service's. */
export function isOurs(books: NetboxBooks, record: NetboxRecord, order: Order): boolean {
  const { formerOwner: owner } = order;
  const isFormer = owner !== undefined && books.isOf({ ...order, owner }, record);
  return isFormer || isStray(books, record, order);
}

/** Says that it is this Service's, and has lost the slot by which it is found: someone took it off. */
function isStray(
  books: NetboxBooks,
  record: NetboxRecord,
  { service }: Pick<Slot, 'service'>,
): boolean {
  if (!isUnmarked(books, record) || record.tenant !== books.spec.tenant) return false;
  const text = describeFor(books.cluster, { service });
  return wasReserved(record) ? record.comments.includes(`${text} (`) : record.description === text;
}

export function takenBy(books: NetboxBooks, ip: Ip, record: NetboxRecord): SourceFailure {
  const { status, description, tenant } = record;
  const about = description === '' ? '' : `, "${description.slice(0, 80)}"`;
  const isOthers = tenant !== undefined && tenant !== books.spec.tenant;
  const whose = isOthers ? `tenant "${tenant}"` : 'someone else';
  return failure('conflict', `has ${ip} on record for ${whose} (${status}${about})`);
}
