/** Records of one pool in a Netbox: found by slot, adopted, given back. Only what carries the slot is ever written. */

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
import { slotField, wasReserved } from './netbox-marks.ts';
import { type NetboxRecord, readRecord, readRecords, readResults } from './netbox-record.ts';
import { again, isStep, type Step } from './netbox-step.ts';

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

  async find(
    slot: Slot,
    signal: AbortSignal,
  ): Promise<{ kind: 'record'; record: NetboxRecord } | { kind: 'none' } | SourceFailure> {
    const { marks } = this.terms;
    const found = await this.search(`${marks.find(slot)}&limit=${pageSize}`, signal);
    if (isFailure(found)) return found;
    // An unknown filter finds everything.
    const own = found.records.filter((record) => marks.slotOf(record) === marks.textOf(slot));
    const [record] = own.sort((left, right) => left.id - right.id);
    return record === undefined ? { kind: 'none' } : { kind: 'record', record };
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

  async listAll(
    signal: AbortSignal,
  ): Promise<{ kind: 'all'; records: readonly NetboxRecord[] } | SourceFailure> {
    const { marks } = this.terms;
    const all = new Map<number, NetboxRecord>();
    let offset = 0;
    for (let page = 0; page < mostPages; page += 1) {
      const query = `${marks.findAll}&ordering=id&limit=${longPage}&offset=${offset}`;
      const found = await this.search(query, signal);
      if (isFailure(found)) return found;
      const own = found.records.filter((record) => marks.slotOf(record) !== undefined);
      for (const record of own) all.set(record.id, record);
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

  /** Whoever joins others on an address moves the record on, so that a release that is under way does not hit it. */
  async adopt(
    slot: Slot,
    record: NetboxRecord,
    signal: AbortSignal,
  ): Promise<Held | Step | SourceFailure> {
    const held: Held = { kind: 'address', address: record.address };
    if (slot.sharingKey === undefined) return held;
    const current = await this.#getOwn(slot, record, signal);
    if (isFailure(current))
      return current.reason === 'unavailable' ? again('unclear', current) : current;
    if (current.kind !== 'one') return again('moved');
    const body = this.terms.marks.write(slot, wasReserved(current.record));
    if (body === undefined) return tooLong;
    const outcome = await this.#change(record.id, body, current.etag, signal);
    return isStep(outcome) || isFailure(outcome) ? outcome : held;
  }

  async release(slot: Slot, signal: AbortSignal): Promise<ReleaseOutcome | Step> {
    const found = await this.find(slot, signal);
    if (isFailure(found)) return found.reason === 'unavailable' ? again('unclear', found) : found;
    if (found.kind === 'none') return released;
    const outcome = await this.giveBack(slot, found.record, signal);
    // Without a unique field there may be more of them.
    if (outcome.kind === 'released' && !this.terms.marks.isUnique)
      return this.release(slot, signal);
    return outcome;
  }

  async giveBack(
    slot: Slot,
    record: NetboxRecord,
    signal: AbortSignal,
  ): Promise<ReleaseOutcome | Step> {
    const current = await this.#getOwn(slot, record, signal);
    if (isFailure(current))
      return current.reason === 'unavailable' ? again('unclear', current) : current;
    if (current.kind !== 'one') return released;
    const { etag } = current;
    if (this.isByTenant || wasReserved(current.record)) {
      const body = { status: 'reserved', ...this.terms.marks.blank };
      return this.#change(record.id, body, etag, signal);
    }
    return this.#settle(
      await this.call('DELETE', `${addresses}${record.id}/`, signal, { ifMatch: etag }),
    );
  }

  /** A record that is no longer in the slot is as good as gone. */
  async #getOwn(slot: Slot, { id }: NetboxRecord, signal: AbortSignal) {
    const current = await this.get(id, signal);
    if (current.kind !== 'one') return current;
    const { marks } = this.terms;
    return marks.slotOf(current.record) === marks.textOf(slot)
      ? current
      : ({ kind: 'gone' } as const);
  }

  async #change(id: number, body: Fields, ifMatch: string | undefined, signal: AbortSignal) {
    return this.#settle(await this.call('PATCH', `${addresses}${id}/`, signal, { body, ifMatch }));
  }

  /** Of a write to a record: done, done by others, overtaken, or not known. */
  #settle(outcome: NetboxOutcome): ReleaseOutcome | Step {
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

  /** Whether the refusal is that there is such a record already. */
  isDouble({ status, body }: NetboxReply): boolean {
    if (status !== 400) return false;
    const fields = { ...(body as Fields) };
    const all = JSON.stringify(fields['__all__'] ?? '');
    return fields['address'] !== undefined || (all.includes(slotField) && /unique/i.test(all));
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

  /** Reserved for our tenant, and nobody's yet. */
  isClaimable(record: NetboxRecord): boolean {
    const { tenant } = this.spec;
    const { marks } = this.terms;
    const isFree = record.status === 'reserved' && record.customFields[slotField] == null;
    return (
      isFree &&
      tenant !== undefined &&
      record.tenant === tenant &&
      marks.slotOf(record) === undefined
    );
  }

  /** Why a wish cannot be granted, as far as can be told by looking. */
  async findWishObstacle(wish: Ip, signal: AbortSignal): Promise<SourceFailure | Step | undefined> {
    if (!this.isByTenant && !this.contains(wish)) {
      return failure('conflict', `has no ${wish} in the group's prefixes and ranges`);
    }
    const holders = await this.holdersOf(wish, signal);
    if (isFailure(holders))
      return holders.reason === 'unavailable' ? again('unclear', holders) : holders;
    const [holder] = holders.records;
    if (holder === undefined) {
      return this.isByTenant
        ? failure('conflict', `has no reserved ${wish} for the tenant`)
        : undefined;
    }
    return this.isClaimable(holder) ? undefined : takenBy(wish, holder);
  }
}

export function takenBy(ip: Ip, { status, description }: NetboxRecord): SourceFailure {
  const about = description === '' ? '' : `, "${description.slice(0, 80)}"`;
  return failure('conflict', `has ${ip} on record for someone else (${status}${about})`);
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
