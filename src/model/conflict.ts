/**
 * `purelb.io/conflicts` on a node's Lease: addresses that a host outside the cluster answered for, as `ip,mac,time`
 * separated by blanks. Only agents can write Leases; what stands on a Service its owner can write, too.
 */

import { compareIps, type Ip, parseIp } from './ip.ts';
import { type Mac, parseMac } from './mac.ts';
import { isProblem } from './parsed.ts';
import { formatTimestamp, parseTimestamp } from './timestamp.ts';

export interface Conflict {
  readonly ip: Ip;
  readonly mac: Mac;
  /** The node that saw it. */
  readonly node: string;
  /** Epoch ms, to the second. */
  readonly seenAt: number;
}

/** More than the allocator acts on within an hour in all but the largest groups. */
const mostConflicts = 100;

/** Every report that can be read. */
export function parseConflicts(text: string, node: string): readonly Conflict[] {
  const fields = text.split(/\s+/, mostConflicts);
  return fields.flatMap((field) => parseConflict(field, node) ?? []);
}

/** In order, so that the same reports are the same text; the latest where there are too many. */
export function encodeConflicts(conflicts: readonly Conflict[]): string {
  return conflicts
    .toSorted((left, right) => right.seenAt - left.seenAt || compareIps(left.ip, right.ip))
    .slice(0, mostConflicts)
    .sort((left, right) => compareIps(left.ip, right.ip))
    .map(({ ip, mac, seenAt }) => `${ip},${mac},${formatTimestamp(seenAt)}`)
    .join(' ');
}

/** The latest report of each address. */
export function latestByIp(conflicts: readonly Conflict[]): ReadonlyMap<Ip, Conflict> {
  return new Map(
    conflicts
      .toSorted((left, right) => left.seenAt - right.seenAt || (left.node < right.node ? -1 : 1))
      .map((conflict) => [conflict.ip, conflict]),
  );
}

function parseConflict(field: string, node: string): Conflict | undefined {
  const [ipText = '', macText = '', time = '', ...rest] = field.split(',');
  const [ip, mac, seenAt] = [parseIp(ipText), parseMac(macText), parseTimestamp(time)];
  if (isProblem(ip) || isProblem(mac) || isProblem(seenAt) || rest.length > 0) return undefined;
  return { ip: ip.value, mac: mac.value, node, seenAt: seenAt.value };
}
