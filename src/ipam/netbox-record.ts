/** An IP address as Netbox has it on record; what cannot be read is none. */

import { isProblem } from '../model/parsed.ts';
import { type Prefix, parsePrefix } from '../model/prefix.ts';
import { type Fields, fieldsOf } from './netbox-api.ts';

export interface NetboxRecord {
  readonly id: number;
  readonly address: Prefix;
  readonly status: string;
  readonly tenant: string | undefined;
  /** Undefined: the global table. */
  readonly vrf: number | undefined;
  readonly description: string;
  readonly comments: string;
  readonly customFields: Fields;
  /** What makes a write conditional on nobody having written since; undefined where the record does not tell. */
  readonly etag: string | undefined;
}

export function readRecord(value: unknown): NetboxRecord | undefined {
  const fields = fieldsOf(value);
  const { id, address, description } = fields;
  if (typeof id !== 'number' || !Number.isSafeInteger(id) || id < 1) return undefined;
  const parsed = parsePrefix(typeof address === 'string' ? address : '');
  if (isProblem(parsed)) return undefined;
  const vrf = fieldsOf(fields['vrf'])['id'];
  return {
    id,
    address: parsed.value,
    status: textOf(fieldsOf(fields['status'])['value']) ?? '',
    tenant: textOf(fieldsOf(fields['tenant'])['slug']),
    vrf: typeof vrf === 'number' ? vrf : undefined,
    description: textOf(description) ?? '',
    comments: textOf(fields['comments']) ?? '',
    etag: etagOf(textOf(fields['last_updated'])),
    customFields: fieldsOf(fields['custom_fields']),
  };
}

/** As Netbox 4.6 and later make it; only single objects come with it. One that does not fit is refused, not ignored. */
function etagOf(updated: string | undefined): string | undefined {
  return updated && `W/"${updated.replace(/Z$/, '+00:00')}"`;
}

/** Undefined: it is no list of anything. */
export function readResults(
  body: unknown,
): { readonly count: number; readonly results: readonly unknown[] } | undefined {
  const { count, results } = fieldsOf(body);
  if (!Array.isArray(results) || typeof count !== 'number') return undefined;
  return { count, results };
}

export function readRecords(results: readonly unknown[]): readonly NetboxRecord[] {
  return results.flatMap((each) => readRecord(each) ?? []);
}

export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
