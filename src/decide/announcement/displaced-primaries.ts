/**
 * IPv4: the kernel keeps the addresses of one prefix on one link in a row, and the first of them, the primary, is what
 * the node's own traffic leaves with. When the node's own address is removed and comes back (DHCP, a restart of the
 * network) while ours are there, ours become primary and the node's own stands behind them.
 */

import type { HeldAddress } from '../../model/address.ts';
import { familyOf } from '../../model/ip.ts';
import { formatPrefix, networkOf } from '../../model/prefix.ts';
import type { AddressMatch } from './address-lifetime.ts';

/**
 * Those that have to be removed and added again, behind the node's own. All of ours in that row: which one would be
 * promoted next depends on their order, and the node's own address must be.
 */
export function findDisplaced(
  kept: readonly AddressMatch[],
  held: readonly HeldAddress[],
): readonly AddressMatch[] {
  // The usual case, and known without a look at any prefix.
  if (!held.some(({ isOurs, isSecondary }) => !isOurs && isSecondary)) return [];
  const rows = Map.groupBy(held.filter(isInRow), rowOf);
  const disturbed = new Set([...rows].filter(([, row]) => isDisturbed(row)).map(([name]) => name));
  return kept.filter((match) => isInRow(match.held) && disturbed.has(rowOf(match.held)));
}

function isDisturbed(row: readonly HeldAddress[]): boolean {
  const isOursFirst = row.some(({ isOurs, isSecondary }) => isOurs && !isSecondary);
  return isOursFirst && row.some(({ isOurs, isSecondary }) => !isOurs && isSecondary);
}

function isInRow({ ip }: HeldAddress): boolean {
  return familyOf(ip) === 'ipv4';
}

function rowOf({ linkIndex, ip, prefixLength }: HeldAddress): string {
  return `${linkIndex} ${formatPrefix(networkOf({ ip, length: prefixLength }))}`;
}
