/** `aggregation` of a pool: the prefix length that its addresses get on the dummy interface. */

import { abbreviate, addressBits, type Family } from './ip.ts';
import { type Parsed, problem } from './parsed.ts';

/** A length, or undefined for `default`. Nothing shorter than /8: it would draw in a large part of the Internet. */
export function parseAggregation(
  text: string,
  path: string,
  family: Family | undefined,
): Parsed<number | undefined> {
  if (text === '' || text === 'default') return { value: undefined };
  const longest = addressBits[family ?? 'ipv6'];
  const [, slash, digits] = /^(\/?)([1-9]\d{0,2})$/.exec(text) ?? [];
  const length = Number(digits ?? 0);
  const isLength = length >= 8 && length <= longest;
  if (isLength && slash === '/') return { value: length };
  const advice = isLength ? `write /${length}` : `write default, or /8 to /${longest}`;
  return problem(path, `"${abbreviate(text)}" is not an aggregation: ${advice}`);
}
