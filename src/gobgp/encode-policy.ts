/** Policies and defined sets → messages of GoBGP's API, and the names that it gives back. */

import type {
  BgpDefinedSet,
  CommunityChange,
  Comparison,
  MatchSet,
  Origin,
  PolicyActions,
  PolicyConditions,
} from '../model/bgp-config.ts';
import { formatPrefix } from '../model/prefix.ts';
import type { SpeakerPolicy } from '../model/speaker.ts';
import type { InputOf } from '../runtime/protobuf.ts';
import type { actions, conditions, definedSet, policy } from './api-policies.ts';
import { encodeFamily } from './encode-peer.ts';

const setTypes = {
  prefix: 1,
  neighbor: 2,
  'as-path': 4,
  community: 5,
  'ext-community': 6,
  'large-community': 7,
} as const satisfies Record<BgpDefinedSet['type'], number>;
export const allSetTypes = Object.entries(setTypes) as readonly [BgpDefinedSet['type'], number][];

const matchTypes = { any: 1, all: 2, invert: 3 } as const;
const routeTypes = { internal: 1, external: 2, local: 3 } as const;
const origins = { igp: 1, egp: 2, incomplete: 3 } as const satisfies Record<Origin, number>;
const comparisons = { eq: 1, ge: 2, le: 3 } as const satisfies Record<
  Comparison['operator'],
  number
>;
export const routeActions = { accept: 1, reject: 2 } as const;
export const directions = { import: 1, export: 2 } as const;
/** Of the policies that all sessions share. */
export const globalTable = 'global';

export function encodeSetName({ type, name }: Pick<BgpDefinedSet, 'type' | 'name'>) {
  return { definedType: setTypes[type], name };
}

export function encodeSet(set: BgpDefinedSet): InputOf<typeof definedSet> {
  return {
    ...encodeSetName(set),
    list: set.type === 'neighbor' ? set.members.map(withLength) : set.members,
    prefixes: set.prefixes.map(({ prefix, shortest, longest }) => ({
      ipPrefix: formatPrefix(prefix),
      maskLengthMin: shortest,
      maskLengthMax: longest,
    })),
  };
}

/** The daemon takes neighbours as prefixes. */
function withLength(text: string): string {
  if (text.includes('/')) return text;
  return `${text}/${text.includes(':') ? 128 : 32}`;
}

export function encodePolicy({ name, statements }: SpeakerPolicy): InputOf<typeof policy> {
  return {
    name,
    statements: statements.map((each) => ({
      name: each.name,
      conditions: encodeConditions(each.conditions),
      actions: encodeActions(each.actions),
    })),
  };
}

function encodeConditions(given: PolicyConditions): InputOf<typeof conditions> {
  const { sets, asPathLength, communityCount, routeType, origin } = given;
  const match = (type: MatchSet['type']) => {
    const set = sets.find((each) => each.type === type);
    return set === undefined ? undefined : { type: matchTypes[set.match], name: set.name };
  };
  return {
    prefixSet: match('prefix'),
    neighborSet: match('neighbor'),
    asPathSet: match('as-path'),
    communitySet: match('community'),
    extCommunitySet: match('ext-community'),
    largeCommunitySet: match('large-community'),
    asPathLength: asPathLength && {
      type: comparisons[asPathLength.operator],
      length: asPathLength.number,
    },
    communityCount: communityCount && {
      type: comparisons[communityCount.operator],
      count: communityCount.number,
    },
    routeType: routeType && routeTypes[routeType],
    origin: origin && origins[origin],
    nextHopInList: given.nextHops,
    afiSafiIn: given.families.map(encodeFamily),
    localPrefEq: encodeValue(given.localPreference),
    medEq: encodeValue(given.med),
  };
}

function encodeActions(given: PolicyActions): InputOf<typeof actions> {
  const { med, asPrepend, nextHop, origin } = given;
  return {
    routeAction: routeActions[given.route],
    community: encodeChange(given.community),
    extCommunity: encodeChange(given.extCommunity),
    largeCommunity: encodeChange(given.largeCommunity),
    med: med && { type: { mod: 1, replace: 2 }[med.how], value: med.value },
    asPrepend: asPrepend && {
      asn: asPrepend.asn,
      repeat: asPrepend.repeat,
      useLeftMost: asPrepend.asn === undefined,
    },
    localPref: encodeValue(given.localPreference),
    nexthop: nextHop && encodeNextHop(nextHop),
    originAction: origin && { origin: origins[origin] },
  };
}

function encodeChange(change: CommunityChange | undefined) {
  if (change === undefined) return undefined;
  return { type: { add: 1, remove: 2, replace: 3 }[change.how], communities: change.communities };
}

function encodeNextHop(nextHop: NonNullable<PolicyActions['nextHop']>) {
  switch (nextHop) {
    case 'self':
      return { self: true };
    case 'unchanged':
      return { unchanged: true };
    case 'peer-address':
      return { peerAddress: true };
    default:
      return { address: nextHop };
  }
}

function encodeValue(value: number | undefined) {
  return value === undefined ? undefined : { value };
}
