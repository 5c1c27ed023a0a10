/**
 * What the allocator gave to a Service, as the condition `Allocated` says it: `ip, ip from pool name, name; notes`.
 * Whoever may edit a Service can write its annotations but not its status, so this is the record that is believed.
 */

import type { Condition } from './condition.ts';
import { type Ip, parseIp } from './ip.ts';
import { isProblem } from './parsed.ts';

export interface AllocationRecord {
  readonly ips: readonly Ip[];
  /** Names of the groups that the addresses are from. */
  readonly pools: readonly string[];
}

const betweenNotes = '; ';
const betweenItems = ', ';
const beforePools = ' from pool ';

/** The beginning of the condition's message; empty without addresses. */
export function describeAllocation({ ips, pools }: AllocationRecord): string {
  if (ips.length === 0) return '';
  const from = pools.length > 0 ? `${beforePools}${pools.join(betweenItems)}` : '';
  return `${ips.join(betweenItems)}${from}`;
}

/** The condition's message, with notes after what was given. */
export function joinNotes(summary: string, notes: readonly string[]): string {
  return [...(summary === '' ? [] : [summary]), ...notes].join(betweenNotes);
}

/** Undefined when the Service has no such condition: the allocator has not looked at it yet. */
export function readAllocation(conditions: readonly Condition[]): AllocationRecord | undefined {
  const condition = conditions.find(({ type }) => type === 'Allocated');
  return condition && parseAllocation(condition.message);
}

/** A message that begins with something other than addresses, such as the reason of a refusal, records nothing. */
function parseAllocation(message: string): AllocationRecord {
  const [summary = ''] = message.split(betweenNotes, 1);
  const [given = '', names = ''] = summary.split(beforePools, 2);
  const ips = given.split(betweenItems).map((text) => parseIp(text));
  if (ips.some(isProblem)) return nothing;
  return {
    ips: ips.flatMap((ip) => (isProblem(ip) ? [] : [ip.value])),
    pools: names === '' ? [] : names.split(betweenItems),
  };
}

const nothing: AllocationRecord = { ips: [], pools: [] };

/** The groups that a Service has its addresses from: what the status records counts before what annotations say. */
export function poolsOf({ record, pools }: GivenFrom): readonly string[] {
  return record === undefined || record.ips.length === 0 ? pools : record.pools;
}

interface GivenFrom {
  readonly record: AllocationRecord | undefined;
  /** By annotation. */
  readonly pools: readonly string[];
}
