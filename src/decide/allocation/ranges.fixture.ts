/** Ranges of pools in the smallest text that says them. */

import { familyOf } from '../../model/ip.ts';
import type { PoolRange } from '../../model/pool.ts';
import { prefixOf } from '../../model/prefix.ts';
import { rangeOf } from '../../model/range.ts';

export function poolRange(
  text: string,
  subnet: string,
  exclusions: readonly string[] = [],
): PoolRange {
  const network = prefixOf(subnet);
  return {
    family: familyOf(network.ip),
    range: rangeOf(text),
    subnet: network,
    prefixLength: network.length,
    exclusions: exclusions.map(rangeOf),
    text,
  };
}
