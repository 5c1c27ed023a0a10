/** Records of one pool in a Netbox: found by slot, listed, read one by one. */

import type { Ip } from '../model/ip.ts';
import type { NetboxSource as NetboxSpec } from '../model/pool.ts';
import { rangeContains } from '../model/range.ts';
import {
  failure,
  isFailure,
  type ReleaseOutcome,
  type Slot,
  type SourceFailure,
} from './address-source.ts';
import {
  describeBody,
  type Fields,
  isFailed,
  type NetboxApi,
  type NetboxOutcome,
  type NetboxReply,
} from './netbox-api.ts';
import type { NetboxTerms } from './netbox-lookup.ts';
import { slotField } from './netbox-marks.ts';
import { type NetboxRecord, readRecord, readRecords, readResults } from './netbox-record.ts';
import { again, type Step } from './netbox-step.ts';

export interface NetboxBooksOptions {
  readonly api: NetboxApi;
  readonly spec: NetboxSpec;
  readonly pool: string;
  readonly cluster: string;
  readonly terms: NetboxTerms;
}

export interface Held {
  readonly kind: 'address';
  readonly address: NetboxRecord['address'];
}

/** The page that is asked for where one record is looked for: filters may find more than they should. */
const pageSize = 50;
const longPage = 250;
const mostPages = 400;

const addresses = 'ipam/ip-addresses/';

export class NetboxBooks {
  readonly spec: NetboxSpec;
  readonly pool: string;
  readonly cluster: string;
  readonly terms: NetboxTerms;
  readonly #api: NetboxApi;

  constructor(options: NetboxBooksOptions) {
    this.#api = options.api;
    this.spec = options.spec;
    this.pool = options.pool;
    this.cluster = options.cluster;
    this.terms = options.terms;
  }

  /** Without prefixes and ranges: addresses that are reserved for the tenant are used. */
  get isByTenant(): boolean {
    return this.terms.parents.length === 0;
  }

  call(
    method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
    path: string,
    signal: AbortSignal,
    more: { readonly body?: Fields; readonly ifMatch?: string | undefined } = {},
  ): Promise<NetboxOutcome> {
    return this.#api.call({ method, path, ...more }, signal);
  }

  /** By whatever marks the record has: some may be from before there were custom fields. */
  slotOf(record: NetboxRecord): string | undefined {
    const { marks, formerMarks } = this.terms;
    return marks.slotOf(record) ?? formerMarks?.slotOf(record);
  }

  isOf(slot: Slot, record: NetboxRecord): boolean {
    return this.slotOf(record) === this.terms.marks.textOf(slot);
  }

  /** Nothing of the marks is missing, and they are of the kind that is used now. */
  isWhole(record: NetboxRecord): boolean {
    const { marks } = this.terms;
    return marks.slotOf(record) !== undefined && marks.isWhole(record);
  }

  async find(
    slot: Slot,
    signal: AbortSignal,
  ): Promise<{ kind: 'record'; record: NetboxRecord } | { kind: 'none' } | SourceFailure> {
    const { marks, formerMarks } = this.terms;
    for (const { find } of formerMarks === undefined ? [marks] : [marks, formerMarks]) {
      const found = await this.search(`${find(slot)}&limit=${pageSize}`, signal);
      if (isFailure(found)) return found;
      // An unknown filter finds everything.
      const own = found.records.filter((record) => this.isOf(slot, record));
      const [record] = own.sort((left, right) => left.id - right.id);
      if (record !== undefined) return { kind: 'record', record };
    }
    return { kind: 'none' };
  }

  /** One page of addresses. */
  async search(
    query: string,
    signal: AbortSignal,
  ): Promise<
    { kind: 'page'; records: readonly NetboxRecord[]; count: number; size: number } | SourceFailure
  > {
    const outcome = await this.call('GET', `${addresses}?${query}`, signal);
    if (isFailed(outcome)) return outcome;
    const list = outcome.status === 200 ? readResults(outcome.body) : undefined;
    if (list === undefined)
      return failure('invalid', `refuses a search: ${describeBody(outcome.body)}`);
    const records = readRecords(list.results);
    return { kind: 'page', records, count: list.count, size: list.results.length };
  }

  /** Every record of this pool, whatever marks it has. */
  async listAll(
    signal: AbortSignal,
  ): Promise<{ kind: 'all'; records: readonly NetboxRecord[] } | SourceFailure> {
    const { marks, formerMarks } = this.terms;
    const all = new Map<number, NetboxRecord>();
    for (const { findAll } of formerMarks === undefined ? [marks] : [marks, formerMarks]) {
      const found = await this.searchAll(findAll, signal);
      if (isFailure(found)) return found;
      const own = found.records.filter((record) => this.slotOf(record) !== undefined);
      for (const record of own) all.set(record.id, record);
    }
    return { kind: 'all', records: [...all.values()] };
  }

  /** Page by page. */
  async searchAll(
    query: string,
    signal: AbortSignal,
  ): Promise<{ kind: 'all'; records: readonly NetboxRecord[] } | SourceFailure> {
    const all = new Map<number, NetboxRecord>();
    let offset = 0;
    for (let page = 0; page < mostPages; page += 1) {
      const where = `${query}&ordering=id&limit=${longPage}&offset=${offset}`;
      const found = await this.search(where, signal);
      if (isFailure(found)) return found;
      for (const record of found.records) all.set(record.id, record);
      offset += found.size;
      if (found.size === 0 || offset >= found.count) break;
    }
    return { kind: 'all', records: [...all.values()] };
  }

  /** With what a conditional write of it needs, where Netbox knows such. */
  async get(
    id: number,
    signal: AbortSignal,
  ): Promise<
    | { kind: 'one'; record: NetboxRecord; etag: string | undefined }
    | { kind: 'gone' }
    | SourceFailure
  > {
    const outcome = await this.call('GET', `${addresses}${id}/`, signal);
    if (isFailed(outcome)) return outcome;
    if (outcome.status === 404) return { kind: 'gone' };
    const record = readRecord(outcome.body);
    if (record === undefined)
      return failure('unavailable', 'answers with something that is no record');
    return { kind: 'one', record, etag: outcome.etag };
  }

  /** A record that is no longer in the slot is as good as gone. */
  async getOwn(slot: Slot, { id }: NetboxRecord, signal: AbortSignal) {
    const current = await this.get(id, signal);
    if (current.kind !== 'one') return current;
    return this.isOf(slot, current.record) ? current : ({ kind: 'gone' } as const);
  }

  async change(id: number, body: Fields, ifMatch: string | undefined, signal: AbortSignal) {
    return this.settle(await this.call('PATCH', `${addresses}${id}/`, signal, { body, ifMatch }));
  }

  async remove(id: number, ifMatch: string | undefined, signal: AbortSignal) {
    return this.settle(await this.call('DELETE', `${addresses}${id}/`, signal, { ifMatch }));
  }

  /** Of a write to a record: done, done by others, overtaken, or not known. */
  settle(outcome: NetboxOutcome): ReleaseOutcome | Step {
    if (isFailed(outcome)) return unclear(outcome);
    const { status } = outcome;
    if (status === 412) return again('moved');
    if (status === 404 || (status >= 200 && status < 300)) return released;
    return this.refusalOf(outcome);
  }

  /** Why a write was refused that should not have been. */
  refusalOf({ status, body }: NetboxReply): SourceFailure {
    return failure('invalid', `refuses what is written (${status}): ${describeBody(body)}`);
  }

  /** What about the refusal another attempt can change: there is such a record already, or no such custom field. */
  stepFor({ status, body }: NetboxReply, wish: Ip | undefined): Step | undefined {
    if (status !== 400) return undefined;
    const fields = { ...(body as Fields) };
    const all = JSON.stringify(fields['__all__'] ?? '');
    const custom = JSON.stringify(fields['custom_fields'] ?? '');
    if (custom.includes('purelb_') || /unknown field name 'purelb_/i.test(all)) {
      return again('fields', this.refusalOf({ status, body, etag: undefined }));
    }
    if (fields['address'] !== undefined) return again('unseen', hiddenAddress(wish));
    return all.includes(slotField) && /unique/i.test(all) ? again('unseen', hiddenSlot) : undefined;
  }

  /** As long as that of the parent, which is what Netbox gives addresses that it chooses itself. */
  lengthOf(ip: Ip): number {
    const parent = this.terms.parents.find(({ range }) => rangeContains(range, ip));
    return parent?.length ?? (ip.includes(':') ? 128 : 32);
  }

  contains(ip: Ip): boolean {
    return this.terms.parents.some(({ range }) => rangeContains(range, ip));
  }

  /** Everyone on record with this address, in the same VRF. */
  async holdersOf(ip: Ip, signal: AbortSignal) {
    const vrf = this.terms.vrf ?? 'null';
    const found = await this.search(`address=${ip}&vrf_id=${vrf}&limit=${pageSize}`, signal);
    if (isFailure(found)) return found;
    const isSame = (record: NetboxRecord) =>
      record.address.ip === ip && record.vrf === this.terms.vrf;
    return { kind: 'holders', records: found.records.filter(isSame) } as const;
  }
}

/** What becomes of a write is not known, or nothing came of it that trying again would change. */
export function unclear(cause: SourceFailure): Step | SourceFailure {
  const isWorthAnother = cause.reason === 'ambiguous' || cause.reason === 'unavailable';
  return isWorthAnother ? again('unclear', cause) : cause;
}

export const tooLong = failure(
  'invalid',
  'has no room for the slot in the description: create the custom field purelb_slot',
);

const released = { kind: 'released' } as const;

const hiddenSlot = failure(
  'conflict',
  'has a record for this slot that the token cannot see: look for it by the custom field purelb_slot, and set its tenant',
);

function hiddenAddress(wish: Ip | undefined): SourceFailure {
  return failure(
    'conflict',
    `has ${wish ?? 'the address'} on record where the token cannot see it, so it is another tenant's: ask for another address`,
  );
}
