/**
 * `purelb.io/announcing-IPv4` and `-IPv6`: who announces what, as `node,link,ip` separated by blanks. Each node writes
 * the slot of the addresses it holds and leaves the others alone.
 */

import { compareIps, type Ip, parseIp, unmapIpv4 } from './ip.ts';
import { isProblem } from './parsed.ts';

export interface Slot {
  readonly node: string;
  readonly link: string;
  readonly ip: Ip;
}

/** More than any Service has addresses; the rest of a hostile text is not taken apart. */
const mostSlots = 256;

/** Every slot that can be read; older forms without an address cannot. */
export function parseAnnouncing(text: string): readonly Slot[] {
  return text
    .split(/\s+/, mostSlots)
    .map(parseSlot)
    .filter((slot) => slot !== undefined);
}

/** Sorted by address, one slot for each. */
export function encodeAnnouncing(slots: readonly Slot[]): string {
  const sorted = slots.toSorted(compareSlots);
  const first = sorted.filter((slot, index) => slot.ip !== sorted[index - 1]?.ip);
  return first.map(({ node, link, ip }) => `${node},${link},${ip}`).join(' ');
}

/** The slots after one node took one address: slots of addresses that the Service no longer has are swept out. */
export function claimSlot(
  slots: readonly Slot[],
  mine: Slot,
  ingress: readonly Ip[],
): readonly Slot[] {
  return [...slots.filter(({ ip }) => ip !== mine.ip && ingress.includes(ip)), mine];
}

function parseSlot(field: string): Slot | undefined {
  const first = field.indexOf(',');
  const last = field.lastIndexOf(',');
  const [node, link] = [field.slice(0, Math.max(first, 0)), field.slice(first + 1, last)];
  const ip = parseIp(field.slice(last + 1));
  if (first === last || node === '' || link === '' || isProblem(ip)) return undefined;
  return { node, link, ip: unmapIpv4(ip.value) };
}

function compareSlots(left: Slot, right: Slot): number {
  return (
    compareIps(left.ip, right.ip) ||
    compareText(left.node, right.node) ||
    compareText(left.link, right.link)
  );
}

function compareText(left: string, right: string): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}
