/**
 * `purelb.io/handing` on a node's Lease: to which members it hands which of its addresses, as
 * `node2=192.0.2.7,2001:db8::7;node3=192.0.2.8`.
 */

import type { Move } from './address-lists.ts';
import { compareTexts } from './compare-texts.ts';
import { compareIps, parseIp } from './ip.ts';
import { isProblem } from './parsed.ts';

/** One Lease carries them all; what is beyond follows when these are done. */
const mostAddresses = 1000;
const mostNodes = 1000;

/** What is no address is passed over. */
export function parseHanding(text: string): readonly Move[] {
  const moves = text.split(';', mostNodes).flatMap((part) => {
    const [node = '', addresses = ''] = part.split('=', 2).map((each) => each.trim());
    return addresses.split(',', mostAddresses).flatMap((address): Move[] => {
      const ip = parseIp(address.trim());
      return node === '' || isProblem(ip) ? [] : [{ ip: ip.value, node }];
    });
  });
  return moves.slice(0, mostAddresses);
}

/** In order, so that the same moves are the same text. */
export function encodeHanding(moves: readonly Move[]): string {
  const sorted = moves.toSorted((left, right) => compareIps(left.ip, right.ip));
  const byNode = Map.groupBy(sorted.slice(0, mostAddresses), ({ node }) => node);
  return [...byNode]
    .toSorted(([left], [right]) => compareTexts(left, right))
    .map(([node, all]) => `${node}=${all.map(({ ip }) => ip).join(',')}`)
    .join(';');
}
