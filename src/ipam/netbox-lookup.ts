/** What a group says about Netbox → what Netbox calls it; or what a person has to do first. */

import { type Family, familyOf } from '../model/ip.ts';
import type { NetboxSource as NetboxSpec } from '../model/pool.ts';
import { formatPrefix, type Prefix } from '../model/prefix.ts';
import {
  formatRange,
  type Range,
  rangeFirst,
  rangeLast,
  rangeOfPrefix,
  rangeSize,
} from '../model/range.ts';
import { failure, type SourceFailure } from './address-source.ts';
import { fieldsOf, isFailed, type NetboxApi } from './netbox-api.ts';
import {
  clusterField,
  type Marks,
  markByDescription,
  markByFields,
  slotField,
} from './netbox-marks.ts';
import { readRecords, readResults, textOf } from './netbox-record.ts';

/** A prefix or range that free addresses are taken from. */
export interface NetboxParent {
  /** Below `ipam/`. */
  readonly path: string;
  readonly family: Family;
  readonly range: Range;
  /** Of the addresses that it gives out. */
  readonly length: number;
  /** How many addresses it gives out. */
  readonly size: bigint;
}

export interface NetboxTerms {
  readonly version: string;
  readonly vrf: number | undefined;
  readonly parents: readonly NetboxParent[];
  readonly marks: Marks;
  /** Those of records that were made before there were custom fields; undefined where there are no such records. */
  readonly formerMarks: Marks | undefined;
  readonly warnings: readonly string[];
}

export interface LookupInput {
  readonly api: NetboxApi;
  readonly spec: NetboxSpec;
  readonly cluster: string;
  readonly pool: string;
  /** Netbox refused to write the custom fields: it has none. */
  readonly lacksFields: boolean;
}

type Found = readonly unknown[] | SourceFailure;

export class NetboxLookup {
  readonly #input: LookupInput;
  readonly #signal: AbortSignal;

  constructor(input: LookupInput, signal: AbortSignal) {
    this.#input = input;
    this.#signal = signal;
  }

  async run(): Promise<NetboxTerms | SourceFailure> {
    const version = await this.#readVersion();
    if (typeof version !== 'string') return version;
    const tenant = await this.#checkTenant();
    if (tenant !== undefined) return tenant;
    const vrf = await this.#findVrf();
    if (isFailure(vrf)) return vrf;
    const parents = await this.#findParents(vrf.id);
    if (isFailure(parents)) return parents;
    const marks = await this.#findMarks();
    if (isFailure(marks)) return marks;
    return { version, vrf: vrf.id, parents, ...marks };
  }

  async #readVersion(): Promise<string | SourceFailure> {
    const outcome = await this.#input.api.call({ method: 'GET', path: 'status/' }, this.#signal);
    if (isFailed(outcome)) return outcome;
    const version = textOf(fieldsOf(outcome.body)['netbox-version']);
    return version ?? failure('invalid', 'is no Netbox: check url');
  }

  async #search(path: string): Promise<Found> {
    const outcome = await this.#input.api.call({ method: 'GET', path }, this.#signal);
    if (isFailed(outcome)) return outcome;
    const list = outcome.status === 200 ? readResults(outcome.body) : undefined;
    return list?.results ?? failure('unavailable', `answers ${outcome.status} to ${path}`);
  }

  async #checkTenant(): Promise<SourceFailure | undefined> {
    const { tenant } = this.#input.spec;
    if (tenant === undefined) return undefined;
    const found = await this.#search(`tenancy/tenants/?slug=${encodeURIComponent(tenant)}`);
    if (isFailure(found)) return found;
    if (found.some((each) => fieldsOf(each)['slug'] === tenant)) return undefined;
    return failure(
      'invalid',
      `has no tenant with the slug "${tenant}" that this token can see: create it, or give the token's user view on tenants`,
    );
  }

  async #findVrf(): Promise<{ readonly id: number | undefined } | SourceFailure> {
    const { vrf } = this.#input.spec;
    if (vrf === undefined) return { id: undefined };
    for (const column of ['rd', 'name']) {
      const found = await this.#search(`ipam/vrfs/?${column}=${encodeURIComponent(vrf)}`);
      if (isFailure(found)) return found;
      const [id] = found.flatMap((each) => (fieldsOf(each)[column] === vrf ? idOf(each) : []));
      if (id !== undefined) return { id };
    }
    return failure(
      'invalid',
      `has no VRF "${vrf}" that this token can see: create it, or give the token's user view on VRFs`,
    );
  }

  async #findParents(vrf: number | undefined): Promise<readonly NetboxParent[] | SourceFailure> {
    const { prefixes, ranges } = this.#input.spec;
    const parents: NetboxParent[] = [];
    for (const prefix of prefixes) {
      const parent = await this.#findPrefix(prefix, vrf);
      if (isFailure(parent)) return parent;
      parents.push(parent);
    }
    for (const range of ranges) {
      const parent = await this.#findRange(range, vrf);
      if (isFailure(parent)) return parent;
      parents.push(parent);
    }
    return parents;
  }

  async #findPrefix(
    prefix: Prefix,
    vrf: number | undefined,
  ): Promise<NetboxParent | SourceFailure> {
    const text = formatPrefix(prefix);
    const found = await this.#search(`ipam/prefixes/?prefix=${text}&vrf_id=${vrf ?? 'null'}`);
    if (isFailure(found)) return found;
    const own = found.find((each) => fieldsOf(each)['prefix'] === text && isIn(each, vrf));
    const [id] = idOf(own);
    if (id === undefined) return missing(`prefix ${text}`, vrf);
    const range = rangeOfPrefix(prefix);
    const isWhole = fieldsOf(own)['is_pool'] === true;
    const family = familyOf(prefix.ip);
    const { length } = prefix;
    return { path: `prefixes/${id}`, family, range, length, size: usableSize(range, isWhole) };
  }

  async #findRange(range: Range, vrf: number | undefined): Promise<NetboxParent | SourceFailure> {
    const [first, last] = [rangeFirst(range), rangeLast(range)];
    const query = `start_address=${first}&end_address=${last}&vrf_id=${vrf ?? 'null'}`;
    const found = await this.#search(`ipam/ip-ranges/?${query}`);
    if (isFailure(found)) return found;
    const hostOf = (value: unknown) => textOf(value)?.split('/')[0];
    const own = found.find((each) => {
      const { start_address: start, end_address: end } = fieldsOf(each);
      return hostOf(start) === first && hostOf(end) === last && isIn(each, vrf);
    });
    const [id] = idOf(own);
    if (id === undefined) return missing(`IP range ${formatRange(range)}`, vrf);
    const mask = Number(textOf(fieldsOf(own)['start_address'])?.split('/')[1]);
    const length = Number.isInteger(mask) ? mask : first.includes(':') ? 128 : 32;
    const size = rangeSize(range);
    return { path: `ip-ranges/${id}`, family: range.family, range, length, size };
  }

  /** Every custom field is on every object, with null where it was never set. */
  async #findMarks(): Promise<MarkTerms | SourceFailure> {
    const { cluster, pool, lacksFields } = this.#input;
    const any = await this.#search('ipam/ip-addresses/?limit=1');
    if (isFailure(any)) return any;
    const field = await this.#findField();
    if (typeof field !== 'string') return field;
    const custom = any.length === 0 ? undefined : fieldsOf(fieldsOf(any[0])['custom_fields']);
    const isMissing = field === 'none' || (lacksFields && custom === undefined);
    const absent = [slotField, clusterField].filter((name) =>
      custom === undefined ? isMissing : !(name in custom),
    );
    if (absent.length > 0) {
      const marks = markByDescription(cluster, pool);
      return { marks, formerMarks: undefined, warnings: [describeAbsent(absent)] };
    }
    const ignored = await this.#checkFilter();
    if (ignored !== undefined) return ignored;
    const formerMarks = await this.#findFormerMarks();
    if (isFailure(formerMarks)) return formerMarks;
    const marks = markByFields(cluster, pool, field === 'unique');
    return { marks, ...formerMarks, warnings: describeField(field) };
  }

  async #checkFilter(): Promise<SourceFailure | undefined> {
    const { cluster, pool } = this.#input;
    const probe = encodeURIComponent(`${cluster}/${pool}/`);
    const found = await this.#search(`ipam/ip-addresses/?cf_${slotField}=${probe}%20probe&limit=1`);
    if (isFailure(found)) return found;
    if (found.length === 0) return undefined;
    return failure(
      'invalid',
      `ignores the custom field ${slotField} in searches: set its filter logic to Exact under Customization > Custom Fields`,
    );
  }

  /** Whether records were made before the custom fields: those have the slot in their description. */
  async #findFormerMarks(): Promise<Pick<NetboxTerms, 'formerMarks'> | SourceFailure> {
    const { cluster, pool } = this.#input;
    const former = markByDescription(cluster, pool);
    const found = await this.#search(`ipam/ip-addresses/?${former.findAll}&limit=1`);
    if (isFailure(found)) return found;
    const isAny = readRecords(found).some((record) => former.slotOf(record) !== undefined);
    return { formerMarks: isAny ? former : undefined };
  }

  /** Of two records for one slot Netbox refuses the second only if the field must be unique. */
  async #findField(): Promise<FieldKind | SourceFailure> {
    const found = await this.#search(`extras/custom-fields/?name=${slotField}`);
    if (isFailure(found)) return found.reason === 'denied' ? 'hidden' : found;
    const own = found.map(fieldsOf).find(({ name }) => name === slotField);
    if (own === undefined) return 'none';
    return own['unique'] === true ? 'unique' : 'loose';
  }
}

type MarkTerms = Pick<NetboxTerms, 'marks' | 'formerMarks' | 'warnings'>;

/** `hidden`: the token may not see it. */
type FieldKind = 'unique' | 'loose' | 'hidden' | 'none';

function describeField(kind: FieldKind): readonly string[] {
  const where = 'under Customization > Custom Fields';
  if (kind === 'unique') return [];
  if (kind === 'loose') {
    return [
      `custom field ${slotField} is not unique, so that only one allocator is safe: set Must be unique ${where}`,
    ];
  }
  return [
    `the token cannot see whether custom field ${slotField} must be unique, so that each new record is looked for once more: give its user view on Extras > Custom Field`,
  ];
}

function isFailure(value: object): value is SourceFailure {
  return 'kind' in value && value.kind === 'failure';
}

function idOf(value: unknown): readonly number[] {
  const { id } = fieldsOf(value);
  return typeof id === 'number' && Number.isSafeInteger(id) && id > 0 ? [id] : [];
}

function isIn(value: unknown, vrf: number | undefined): boolean {
  const own = fieldsOf(fieldsOf(value)['vrf'])['id'];
  return (typeof own === 'number' ? own : undefined) === vrf;
}

function missing(what: string, vrf: number | undefined): SourceFailure {
  const where = vrf === undefined ? 'in the global table' : 'in that VRF';
  return failure(
    'invalid',
    `has no ${what} ${where} that this token can see: create it, or give the token's user view on prefixes and IP ranges`,
  );
}

function describeAbsent(names: readonly string[]): string {
  return `custom field ${names.join(' and ')} is missing, so that records are told apart by their description and only one allocator is safe: create it under Customization > Custom Fields for IPAM > IP Address, type Text, filter logic Exact${names.includes(slotField) ? `, and ${slotField} with Must be unique` : ''}`;
}

/** Network and broadcast are not given out, nor the IPv6 anycast, unless the prefix is a pool. */
function usableSize(range: Range, isWhole: boolean): bigint {
  const size = rangeSize(range);
  if (isWhole || size <= 2n) return size;
  return range.family === 'ipv4' ? size - 2n : size - 1n;
}
