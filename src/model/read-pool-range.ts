/** One range of a ServiceGroup: its addresses, their subnet, their prefix on the dummy interface, what is left out. */

import { parseAggregation } from './aggregation.ts';
import type { Cursor } from './cursor.ts';
import { type Family, familyNames, familyOf, parseIp } from './ip.ts';
import { parsePoolRange } from './parse-pool-range.ts';
import { isProblem, type Parsed } from './parsed.ts';
import type { PoolRange } from './pool.ts';
import { formatPrefix, hostPrefixOf, networkOf, type Prefix, parsePrefix } from './prefix.ts';
import { parseRange, type Range, rangeOfPrefix, rangesOverlap } from './range.ts';

/**
 * Undefined when something essential is missing or wrong, which is then noted. The old forms, which say no family, have
 * no exclusions either.
 */
export function readPoolRange(entry: Cursor, family?: Family): PoolRange | undefined {
  const { pool, subnet, aggregation } = entry.fields('pool', 'subnet', 'aggregation');
  const network = readSubnet(subnet.required(), family);
  const range = readAddresses(pool.required(), network, family);
  const own = network === undefined ? family : familyOf(network.ip);
  const length = aggregation.parse((text, path) => parseAggregation(text, path, own));
  const exclude = family === undefined ? [] : entry.fields('exclude').exclude.items();
  const exclusions = exclude.flatMap((item) => readExclusion(item, range) ?? []);
  if (network === undefined || range === undefined) return undefined;
  return {
    family: range.family,
    range,
    subnet: network,
    prefixLength: length ?? network.length,
    exclusions,
    text: pool.string() ?? '',
  };
}

function readSubnet(cursor: Cursor, family: Family | undefined): Prefix | undefined {
  const prefix = cursor.parse(parsePrefix);
  if (prefix === undefined) return undefined;
  if (family !== undefined && familyOf(prefix.ip) !== family) {
    cursor.refuse(describeWrongFamily(formatPrefix(prefix), family));
    return undefined;
  }
  const network = networkOf(prefix);
  if (network.ip !== prefix.ip) {
    cursor.warn(
      `${formatPrefix(prefix)} is an address, not a network: ${formatPrefix(network)} is used`,
    );
  }
  return network;
}

function readAddresses(
  cursor: Cursor,
  subnet: Prefix | undefined,
  family: Family | undefined,
): Range | undefined {
  const range = cursor.parse((text, path) => {
    const parsed = parseRange(text, path);
    const isOfFamily = isProblem(parsed) || family === undefined || parsed.value.family === family;
    return subnet === undefined || !isOfFamily ? parsed : parsePoolRange(text, subnet, path);
  });
  if (range === undefined || family === undefined || range.family === family) return range;
  cursor.refuse(describeWrongFamily(cursor.string() ?? '', family));
  return undefined;
}

function readExclusion(cursor: Cursor, range: Range | undefined): Range | undefined {
  const exclusion = cursor.parse(parseExclusion);
  if (exclusion === undefined || range === undefined) return undefined;
  if (rangesOverlap(exclusion, range)) return exclusion;
  cursor.warn('lies outside the range and excludes nothing');
  return undefined;
}

/** Like a range, and a single address may stand alone. */
function parseExclusion(text: string, path: string): Parsed<Range> {
  const ip = parseIp(text);
  return isProblem(ip) ? parseRange(text, path) : { value: rangeOfPrefix(hostPrefixOf(ip.value)) };
}

function describeWrongFamily(text: string, family: Family): string {
  const [here, there] = family === 'ipv4' ? ['v4pools', 'v6pools'] : ['v6pools', 'v4pools'];
  return `${text} is not ${familyNames[family]}: ${here} holds ${familyNames[family]}, move it to ${there}`;
}
