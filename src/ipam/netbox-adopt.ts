import { isFailure, type Slot, type SourceFailure } from './address-source.ts';
import { type Held, type NetboxBooks, tooLong, unclear } from './netbox-books.ts';
import { wasReserved } from './netbox-marks.ts';
import type { NetboxRecord } from './netbox-record.ts';
import { again, isStep, type Step } from './netbox-step.ts';

/**
 * The record of a slot is used. Whoever joins others on an address moves the record on, so that a release that is under
 * way does not hit it; marks that are missing are put back.
 */
export async function adopt(
  books: NetboxBooks,
  slot: Slot,
  record: NetboxRecord,
  signal: AbortSignal,
): Promise<Held | Step | SourceFailure> {
  const held: Held = { kind: 'address', address: record.address };
  if (slot.sharingKey === undefined && books.isWhole(record)) return held;
  const current = await books.getOwn(slot, record, signal);
  if (isFailure(current)) return unclear(current);
  if (current.kind !== 'one') return again('moved');
  const { marks } = books.terms;
  const isClaimed = wasReserved(current.record);
  const body = isClaimed ? marks.claim(slot, current.record) : marks.write(slot);
  if (body === undefined) return tooLong;
  const outcome = await books.change(record.id, body, current.etag, signal);
  return isStep(outcome) || isFailure(outcome) ? outcome : held;
}
