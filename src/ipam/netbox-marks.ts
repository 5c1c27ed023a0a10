/**
 * How a record is marked as one of ours, and found again. By custom fields Netbox itself refuses a second record for a
 * slot; without them the description has to do, which is good enough for one writer.
 */

import type { Family } from '../model/ip.ts';
import type { Slot } from './address-source.ts';
import type { Fields } from './netbox-api.ts';
import type { NetboxRecord } from './netbox-record.ts';

export const slotField = 'purelb_slot';
export const clusterField = 'purelb_cluster';
const longest = 200;

export interface Marks {
  /** Netbox sees to it that a slot has one record at most. */
  readonly isUnique: boolean;
  /** What of a record to write; undefined where it does not fit. */
  write(slot: Slot, isClaimed: boolean): Fields | undefined;
  /** What to write when the record is no longer ours. */
  readonly blank: Fields;
  /** A query for a slot, and for all slots: more may be found than is asked for. */
  find(slot: Slot): string;
  readonly findAll: string;
  /** The slot of a record, as text; undefined where it is none of this pool. */
  slotOf(record: NetboxRecord): string | undefined;
  textOf(slot: Slot): string;
}

/** What tells that a record was there before us, so that it goes back to what it was. */
const claimed = ' (was reserved)';

export function wasReserved({ description }: NetboxRecord): boolean {
  return description.endsWith(claimed);
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

export function markByFields(cluster: string, pool: string): Marks {
  return {
    isUnique: true,
    write: (slot, isClaimed) => ({
      description: describe(cluster, slot, isClaimed),
      custom_fields: { [slotField]: slotText(cluster, slot), [clusterField]: cluster },
    }),
    blank: { description: '', custom_fields: { [slotField]: null, [clusterField]: null } },
    find: (slot) => `cf_${slotField}=${encodeURIComponent(slotText(cluster, slot))}`,
    findAll: `cf_${clusterField}=${encodeURIComponent(cluster)}`,
    slotOf: ({ customFields }) => {
      const text = customFields[slotField];
      if (customFields[clusterField] !== cluster || typeof text !== 'string') return undefined;
      return readSlotText(text, cluster, pool) === undefined ? undefined : text;
    },
    textOf: (slot) => slotText(cluster, slot),
  };
}

export function markByDescription(cluster: string, pool: string): Marks {
  const start = 'purelb ';
  const textFor = (slot: Slot) => `${start}${slotText(cluster, slot)}`;
  return {
    isUnique: false,
    write: (slot, isClaimed) => {
      const description = `${textFor(slot)}${isClaimed ? claimed : ''}`;
      return description.length > longest ? undefined : { description };
    },
    blank: { description: '' },
    find: (slot) => `description__isw=${encodeURIComponent(textFor(slot))}`,
    findAll: `description__isw=${encodeURIComponent(`${start}${cluster}/${pool}/`)}`,
    slotOf: ({ description }) => {
      if (!description.startsWith(start)) return undefined;
      const bare = description.slice(start.length);
      const text = bare.endsWith(claimed) ? bare.slice(0, -claimed.length) : bare;
      return readSlotText(text, cluster, pool) === undefined ? undefined : text;
    },
    textOf: (slot) => slotText(cluster, slot),
  };
}

function describe(cluster: string, { service }: Slot, isClaimed: boolean): string {
  const end = isClaimed ? claimed : '';
  return `${`purelb ${cluster} ${service}`.slice(0, longest - end.length)}${end}`;
}
