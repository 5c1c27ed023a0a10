/** A range of addresses that must lie in a subnet, with a suggestion where one end is plainly mistyped. */

import {
  abbreviate,
  compareIps,
  familyOf,
  type Ip,
  ipFromBigInt,
  ipToBigInt,
  parseIp,
} from './ip.ts';
import { isProblem, type Parsed, problem } from './parsed.ts';
import { formatPrefix, type Prefix, prefixContains } from './prefix.ts';
import { isRangeWithin, parseRange, type Range, rangeOfPrefix } from './range.ts';

interface Ends {
  readonly from: Ip;
  readonly to: Ip;
}

export function parsePoolRange(text: string, subnet: Prefix, path = ''): Parsed<Range> {
  const parsed = parseRange(text, path);
  const outer = rangeOfPrefix(subnet);
  if (!isProblem(parsed) && isRangeWithin(parsed.value, outer)) return parsed;
  const ends = readEnds(text, subnet);
  const isReversed = ends !== undefined && compareIps(ends.from, ends.to) > 0;
  // A range that cannot be read, or that is merely turned round, is best explained by its own parser.
  if (isProblem(parsed) && (!isReversed || contains(subnet, ends))) return parsed;
  const wrong = isReversed ? 'runs backwards and leaves' : 'is not inside';
  const meant = ends === undefined ? '' : suggest(ends, subnet);
  return problem(path, `"${abbreviate(text)}" ${wrong} ${formatPrefix(subnet)}${meant}`);
}

/** Both ends of a range in `from-to` form, if they are addresses of the subnet's family. */
function readEnds(text: string, subnet: Prefix): Ends | undefined {
  const parts = text.length <= 128 ? text.split('-') : [];
  const [from, to] = parts.map((part) => parseIp(part.trim()));
  if (parts.length !== 2 || from === undefined || to === undefined) return undefined;
  if (isProblem(from) || isProblem(to)) return undefined;
  const family = familyOf(subnet.ip);
  if (familyOf(from.value) !== family || familyOf(to.value) !== family) return undefined;
  return { from: from.value, to: to.value };
}

function contains(subnet: Prefix, { from, to }: Ends): boolean {
  return prefixContains(subnet, from) && prefixContains(subnet, to);
}

/** With one end inside the subnet, the other was most likely meant to be: keep its bits behind the prefix. */
function suggest(ends: Ends, subnet: Prefix): string {
  const from = prefixContains(subnet, ends.from) ? ends.from : moveInto(subnet, ends.from);
  const to = prefixContains(subnet, ends.to) ? ends.to : moveInto(subnet, ends.to);
  const isOneKept = from === ends.from || to === ends.to;
  if (!isOneKept || compareIps(from, to) > 0) return '';
  return `: did you mean ${from}-${to}?`;
}

function moveInto(subnet: Prefix, ip: Ip): Ip {
  const { first, last, family } = rangeOfPrefix(subnet);
  return ipFromBigInt(family, first | (ipToBigInt(ip) & (first ^ last)));
}
