/** Defined sets of a BGPConfiguration: prefixes, neighbours, AS paths and communities that policies name. */

import type { BgpDefinedSet } from './bgp-config.ts';
import type { Cursor } from './cursor.ts';
import { abbreviate, addressBits, familyOf } from './ip.ts';
import { type Parsed, problem } from './parsed.ts';
import { parsePrefix } from './prefix.ts';
import { parseIpOrPrefix, readWord } from './read-bgp-parts.ts';

const types = [
  'prefix',
  'neighbor',
  'as-path',
  'community',
  'ext-community',
  'large-community',
] as const satisfies readonly BgpDefinedSet['type'][];

export function readDefinedSet(cursor: Cursor): BgpDefinedSet {
  const at = cursor.fields('type', 'name', 'list', 'prefixes');
  const type = readWord(at.type, types) ?? 'prefix';
  const parse = type === 'neighbor' ? parseIpOrPrefix : parsePattern;
  return {
    type,
    name: at.name.required().string() ?? '',
    members: at.list.items().flatMap((item) => item.parse(parse) ?? []),
    prefixes: at.prefixes.items().flatMap((item) => readPrefix(item) ?? []),
  };
}

function readPrefix(cursor: Cursor): BgpDefinedSet['prefixes'][number] | undefined {
  const at = cursor.fields('ipPrefix', 'rtcPrefix', 'maskLengthMin', 'maskLengthMax');
  if (at.rtcPrefix.isPresent) at.rtcPrefix.refuse('route target constraints are not carried out');
  const prefix = at.ipPrefix.required().parse(parsePrefix);
  if (prefix === undefined) return undefined;
  const bounds = { min: 0, max: addressBits[familyOf(prefix.ip)] };
  const shortest = at.maskLengthMin.integer(bounds) || prefix.length;
  const longest = at.maskLengthMax.integer(bounds) || shortest;
  if (longest < shortest) at.maskLengthMax.refuse(`must be at least ${shortest}`);
  return { prefix, shortest, longest };
}

/** The daemon takes regular expressions for AS paths and communities. */
function parsePattern(text: string, path: string): Parsed<string> {
  if (text !== '' && text.length <= 256 && isPattern(text)) return { value: text };
  return problem(path, `"${abbreviate(text)}" is not a community or regular expression`);
}

function isPattern(text: string): boolean {
  try {
    return new RegExp(text) instanceof RegExp;
  } catch {
    return false;
  }
}
