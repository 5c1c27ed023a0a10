/** The way back of an address. Only what carries the slot is written, and only if nobody has written it meanwhile. */

import { isFailure, type ReleaseOutcome, type Slot } from './address-source.ts';
import type { NetboxBooks } from './netbox-books.ts';
import { unclear } from './netbox-books.ts';
import { wasReserved } from './netbox-marks.ts';
import type { NetboxRecord } from './netbox-record.ts';
import { isStep, type Step } from './netbox-step.ts';

export async function release(
  books: NetboxBooks,
  slot: Slot,
  signal: AbortSignal,
): Promise<ReleaseOutcome | Step> {
  const found = await books.find(slot, signal);
  if (isFailure(found)) return unclear(found);
  if (found.kind === 'none') return released;
  const outcome = await giveBack(books, slot, found.record, signal);
  // Without a unique field there may be more of them.
  if (outcome.kind === 'released' && !books.terms.marks.isUnique)
    return release(books, slot, signal);
  return outcome;
}

/** As the record was found; if it has changed since, as it is. */
export async function giveBack(
  books: NetboxBooks,
  slot: Slot,
  record: NetboxRecord,
  signal: AbortSignal,
): Promise<ReleaseOutcome | Step> {
  if (record.etag !== undefined) {
    const outcome = await write(books, record, record.etag, signal);
    if (!isStep(outcome) || outcome.why !== 'moved') return outcome;
  }
  const current = await books.getOwn(slot, record, signal);
  if (isFailure(current)) return unclear(current);
  if (current.kind !== 'one') return released;
  return write(books, current.record, current.etag, signal);
}

/** What people had reserved is reserved again; what we made goes. */
function write(
  books: NetboxBooks,
  record: NetboxRecord,
  etag: string | undefined,
  signal: AbortSignal,
): Promise<ReleaseOutcome | Step> {
  const { id } = record;
  if (!books.isByTenant && !wasReserved(record)) return books.remove(id, etag, signal);
  const body = { status: 'reserved', ...books.terms.marks.blank(record) };
  return books.change(id, body, etag, signal);
}

const released = { kind: 'released' } as const;
