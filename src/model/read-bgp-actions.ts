import type { CommunityChange, PolicyActions } from './bgp-config.ts';
import { parseCommunity, parseLargeCommunity, parseRouteTarget } from './community.ts';
import type { Cursor } from './cursor.ts';
import { parseIp } from './ip.ts';
import type { Parsed } from './parsed.ts';
import { largestAsn, readWord } from './read-bgp-parts.ts';

const largest = 4_294_967_295;

/** `actions` of a policy's statement. */
export function readActions(cursor: Cursor): PolicyActions {
  const at = cursor.fields(
    'routeAction',
    'community',
    'extCommunity',
    'largeCommunity',
    'med',
    'asPrepend',
    'localPref',
    'nexthop',
    'origin',
  );
  return {
    route: at.routeAction.required().oneOf(['accept', 'reject']) ?? 'reject',
    community: readCommunityChange(at.community, parseCommunity),
    extCommunity: readCommunityChange(at.extCommunity, parseRouteTarget),
    largeCommunity: readCommunityChange(at.largeCommunity, parseLargeCommunity),
    med: readMed(at.med),
    asPrepend: readPrepend(at.asPrepend),
    localPreference: at.localPref.integer({ min: 0, max: largest }),
    nextHop: readNextHop(at.nexthop),
    origin: readWord(at.origin, ['igp', 'egp', 'incomplete']),
  };
}

function readCommunityChange(
  cursor: Cursor,
  parse: (text: string, path: string) => Parsed<string>,
): CommunityChange | undefined {
  if (!cursor.isPresent) return undefined;
  const { type, communities } = cursor.fields('type', 'communities');
  return {
    how: readWord(type, ['add', 'remove', 'replace']) ?? 'add',
    communities: communities.items().flatMap((item) => item.parse(parse) ?? []),
  };
}

function readMed(cursor: Cursor): PolicyActions['med'] {
  if (!cursor.isPresent) return undefined;
  const { type, value } = cursor.fields('type', 'value');
  const how = readWord(type, ['mod', 'replace']) ?? 'replace';
  const min = how === 'mod' ? -largest : 0;
  return { how, value: value.required().integer({ min, max: largest }) ?? 0 };
}

function readPrepend(cursor: Cursor): PolicyActions['asPrepend'] {
  if (!cursor.isPresent) return undefined;
  const { asn, repeat } = cursor.fields('asn', 'repeat');
  return {
    asn: asn.integer({ min: 0, max: largestAsn }) || undefined,
    repeat: repeat.integer({ min: 0, max: 255 }) || 1,
  };
}

function readNextHop(cursor: Cursor): PolicyActions['nextHop'] {
  const at = cursor.fields('address', 'self', 'unchanged', 'peerAddress');
  const flags = [
    at.self.boolean() === true ? ('self' as const) : undefined,
    at.unchanged.boolean() === true ? ('unchanged' as const) : undefined,
    at.peerAddress.boolean() === true ? ('peer-address' as const) : undefined,
  ];
  const choices = [at.address.parse(parseIp), ...flags].filter((choice) => choice !== undefined);
  if (choices.length > 1) cursor.refuse('at most one of address, self, unchanged, peerAddress');
  return choices[0];
}
