/**
 * How a record is marked as one of ours, and found again. By custom fields Netbox itself refuses a second record for a
 * slot; without them the slot stands in the description, which is good enough for one writer. What people wrote on a
 * record that they had reserved stays there, or comes back.
 */

import type { Family } from '../model/ip.ts';
import type { Slot } from './address-source.ts';
import type { Fields } from './netbox-api.ts';
import {
  addClaimNote,
  claimEnd,
  dropClaimNotes,
  findClaimNote,
  findKeptDescription,
} from './netbox-claim-note.ts';
import type { NetboxRecord } from './netbox-record.ts';

export const slotField = 'purelb_slot';
export const clusterField = 'purelb_cluster';
const longest = 200;

export interface Marks {
  /** Custom fields, not the description. */
  readonly usesFields: boolean;
  /** Netbox sees to it that a slot has one record at most. */
  readonly isUnique: boolean;
  /** What to write on a record that we make; undefined where it does not fit. */
  write(slot: Slot): Fields | undefined;
  /** What to write on a record that people made. */
  claim(slot: Slot, record: NetboxRecord): Fields | undefined;
  /** What to write when a record that people made is no longer ours. */
  blank(record: NetboxRecord): Fields;
  /** A query for a slot, and for all slots: more may be found than is asked for. */
  find(slot: Slot): string;
  readonly findAll: string;
  /** The slot of a record, as text; undefined where it is none of this pool. */
  slotOf(record: NetboxRecord): string | undefined;
  textOf(slot: Slot): string;
  /** All marks are there; otherwise some were taken off, and the record is not found by all searches. */
  isWhole(record: NetboxRecord): boolean;
  /** Which Service the record names, for people. */
  serviceOf(record: NetboxRecord): string;
}

/** A record that was there before us goes back to what it was. */
export function wasReserved({ description, comments }: NetboxRecord): boolean {
  return description.endsWith(claimEnd) || findClaimNote(comments) !== undefined;
}

function digitOf(family: Family): string {
  return family === 'ipv4' ? '4' : '6';
}

/** `<cluster>/<pool>/<owner>/<4|6>`. */
function slotText(cluster: string, { pool, owner, family }: Slot): string {
  return `${cluster}/${pool}/${owner}/${digitOf(family)}`;
}

export interface SlotName {
  readonly owner: string;
  readonly family: Family;
}

/** Undefined: a slot of another cluster or pool. */
export function readSlotText(text: string, cluster: string, pool: string): SlotName | undefined {
  const start = `${cluster}/${pool}/`;
  const digit = text.slice(-2);
  if (!text.startsWith(start) || !/^\/[46]$/.test(digit)) return undefined;
  const owner = text.slice(start.length, -2);
  if (owner === '') return undefined;
  return { owner, family: digit === '/4' ? 'ipv4' : 'ipv6' };
}

const start = 'purelb ';

export function markByFields(cluster: string, pool: string, isUnique: boolean): Marks {
  const fieldsFor = (slot: Slot) => ({
    custom_fields: { [slotField]: slotText(cluster, slot), [clusterField]: cluster },
  });
  return {
    usesFields: true,
    isUnique,
    write: (slot) => ({ description: describeFor(cluster, slot), ...fieldsFor(slot) }),
    claim: (slot, record) => ({
      ...originalDescription(cluster, record),
      comments: addClaimNote(record.comments, describeFor(cluster, slot)),
      ...fieldsFor(slot),
    }),
    blank: (record) => ({
      ...originalDescription(cluster, record),
      comments: dropClaimNotes(record.comments),
      custom_fields: { [slotField]: null, [clusterField]: null },
    }),
    find: (slot) => `cf_${slotField}=${encodeURIComponent(slotText(cluster, slot))}`,
    findAll: `cf_${clusterField}=${encodeURIComponent(cluster)}`,
    slotOf: ({ customFields }) => {
      const { [slotField]: text, [clusterField]: owner } = customFields;
      if (typeof text !== 'string' || (isSet(owner) && owner !== cluster)) return undefined;
      return readSlotText(text, cluster, pool) === undefined ? undefined : text;
    },
    textOf: (slot) => slotText(cluster, slot),
    isWhole: ({ customFields }) => customFields[clusterField] === cluster,
    serviceOf: ({ description, comments }) =>
      (findClaimNote(comments) ?? description).split(' ')[2] ?? '',
  };
}

export function markByDescription(cluster: string, pool: string): Marks {
  const textFor = (slot: Slot) => `${start}${slotText(cluster, slot)}`;
  const fit = (description: string, more: Fields = {}) =>
    description.length > longest ? undefined : { description, ...more };
  return {
    usesFields: false,
    isUnique: false,
    write: (slot) => fit(textFor(slot)),
    claim: (slot, { description, comments }) => {
      const isOurs = isOurText(cluster, description);
      const kept = isOurs ? findKeptDescription(comments) : description;
      const note = addClaimNote(comments, describeFor(cluster, slot), kept);
      return fit(`${textFor(slot)}${claimEnd}`, { comments: note });
    },
    blank: (record) => ({
      ...originalDescription(cluster, record),
      comments: dropClaimNotes(record.comments),
    }),
    find: (slot) => `description__isw=${encodeURIComponent(textFor(slot))}`,
    findAll: `description__isw=${encodeURIComponent(`${start}${cluster}/${pool}/`)}`,
    slotOf: ({ description }) => {
      if (!description.startsWith(start)) return undefined;
      const bare = description.slice(start.length);
      const text = bare.endsWith(claimEnd) ? bare.slice(0, -claimEnd.length) : bare;
      return readSlotText(text, cluster, pool) === undefined ? undefined : text;
    },
    textOf: (slot) => slotText(cluster, slot),
    isWhole: () => true,
    serviceOf: ({ comments }) => findClaimNote(comments)?.split(' ')[2] ?? '',
  };
}

/** A description of ours makes way for what people wrote; theirs stays as it is. */
function originalDescription(cluster: string, { description, comments }: NetboxRecord): Fields {
  if (!isOurText(cluster, description)) return {};
  return { description: findKeptDescription(comments) ?? '' };
}

function isOurText(cluster: string, description: string): boolean {
  return ['/', ' '].some((end) => description.startsWith(`${start}${cluster}${end}`));
}

export function describeFor(cluster: string, { service }: Pick<Slot, 'service'>): string {
  return `${start}${cluster} ${service}`.slice(0, longest);
}

export function isSet(value: unknown): boolean {
  return value !== undefined && value !== null && value !== '';
}
