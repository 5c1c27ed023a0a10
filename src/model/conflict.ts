/** `purelb.io/conflict`: addresses that someone else answered for, as `ip,mac,node,time` separated by blanks. */

import { type Ip, parseIp } from './ip.ts';
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

/** Every report that can be read. */
export function parseConflicts(text: string): readonly Conflict[] {
  return text
    .split(/\s+/)
    .map(parseConflict)
    .filter((conflict) => conflict !== undefined);
}

export function encodeConflicts(conflicts: readonly Conflict[]): string {
  return conflicts
    .map(({ ip, mac, node, seenAt }) => `${ip},${mac},${node},${formatTimestamp(seenAt)}`)
    .join(' ');
}

function parseConflict(field: string): Conflict | undefined {
  const [ipText = '', macText = '', node = '', time = '', ...rest] = field.split(',');
  const [ip, mac, seenAt] = [parseIp(ipText), parseMac(macText), parseTimestamp(time)];
  if (isProblem(ip) || isProblem(mac) || isProblem(seenAt)) return undefined;
  if (node === '' || rest.length > 0) return undefined;
  return { ip: ip.value, mac: mac.value, node, seenAt: seenAt.value };
}
