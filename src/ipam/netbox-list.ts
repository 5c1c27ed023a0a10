/** All records of a pool, and what people did to them that somebody should know. */

import { isFailure, type ListOutcome, type SourceRecord } from './address-source.ts';
import { adopt } from './netbox-adopt.ts';
import type { NetboxBooks } from './netbox-books.ts';
import { isSet, readSlotText, slotField } from './netbox-marks.ts';
import type { NetboxRecord } from './netbox-record.ts';

export async function listNetbox(books: NetboxBooks, signal: AbortSignal): Promise<ListOutcome> {
  const found = await books.listAll(signal);
  if (isFailure(found)) return found;
  const records = found.records.flatMap((record) => readSlot(books, record));
  if (books.terms.formerMarks !== undefined) await moveMarks(books, found.records, signal);
  const remarks = found.records.flatMap(describeStatus);
  const strays = await findStrays(books, signal);
  if (isFailure(strays)) return strays;
  return { kind: 'records', records, remarks: [...remarks, ...strays.records.map(describeStray)] };
}

function readSlot(books: NetboxBooks, record: NetboxRecord): readonly SourceRecord[] {
  const { cluster, pool, terms } = books;
  const slot = readSlotText(books.slotOf(record) ?? '', cluster, pool);
  if (slot === undefined) return [];
  return [{ ...slot, address: record.address, service: terms.marks.serviceOf(record) }];
}

/** Records from before there were custom fields get them; where that fails they are found as they are until the next time. */
async function moveMarks(
  books: NetboxBooks,
  records: readonly NetboxRecord[],
  signal: AbortSignal,
): Promise<void> {
  const { pool, terms } = books;
  for (const record of records) {
    const slot = readSlot(books, record)[0];
    if (slot === undefined || terms.marks.slotOf(record) !== undefined) continue;
    // The description had no room for the name of the Service.
    const named = { ...slot, service: slot.service === '' ? slot.owner : slot.service };
    await adopt(books, { ...named, pool, sharingKey: undefined }, record, signal);
  }
}

function describeStatus({ address, status }: NetboxRecord): readonly string[] {
  if (status === 'active') return [];
  return [`${address.ip} has the status ${status} in Netbox though a Service uses it`];
}

/** Described as ours, and without the slot by which they are found: someone took it off. */
async function findStrays(books: NetboxBooks, signal: AbortSignal) {
  const { cluster, terms, spec } = books;
  if (!terms.marks.usesFields) return { kind: 'all', records: [] } as const;
  const query = `description__isw=${encodeURIComponent(`purelb ${cluster} `)}`;
  const found = await books.searchAll(query, signal);
  if (isFailure(found)) return found;
  const isStray = (record: NetboxRecord) =>
    record.description.startsWith(`purelb ${cluster} `) &&
    !isSet(record.customFields[slotField]) &&
    record.tenant === spec.tenant &&
    (books.isByTenant || books.contains(record.address.ip));
  return { kind: 'all', records: found.records.filter(isStray) } as const;
}

function describeStray({ address, description }: NetboxRecord): string {
  return `${address.ip} (${description}) has lost its ${slotField}: it is set again if that Service holds the address; if not, delete the record`;
}
