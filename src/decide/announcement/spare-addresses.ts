/**
 * Addresses next to one that a node holds that nobody should have, chosen without knowing any pool: a host that replies
 * for all of them is a proxy and owns none.
 */

import { type Ip, ipFromBigInt, ipToBigInt } from '../../model/ip.ts';
import { rangeOfPrefix } from '../../model/range.ts';

/** From the end of the subnet: allocators begin at the front, and gateways have the last address. */
const offsets = [5n, 9n, 14n, 20n];
const count = 2;

/** Empty where the subnet has too few addresses. */
export function pickSpares(
  { ip, prefixLength }: { readonly ip: Ip; readonly prefixLength: number },
  held: ReadonlySet<Ip>,
): readonly Ip[] {
  const { family, first, last } = rangeOfPrefix({ ip, length: prefixLength });
  const spares = offsets
    .map((offset) => last - offset)
    .filter((value) => value > first && value !== ipToBigInt(ip))
    .map((value) => ipFromBigInt(family, value))
    .filter((spare) => !held.has(spare));
  return spares.length < count ? [] : spares.slice(0, count);
}
