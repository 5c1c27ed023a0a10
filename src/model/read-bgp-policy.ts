/** Policies of a BGPConfiguration: statements of conditions and actions. */

import type {
  BgpPolicy,
  Comparison,
  MatchSet,
  PolicyConditions,
  PolicyStatement,
} from './bgp-config.ts';
import type { Cursor } from './cursor.ts';
import { readActions } from './read-bgp-actions.ts';
import { parseIpOrPrefix, readFamilyName, readWord } from './read-bgp-parts.ts';

const uint32 = { min: 0, max: 4_294_967_295 };

export function readBgpPolicy(cursor: Cursor): BgpPolicy {
  const { name, statements } = cursor.fields('name', 'statements');
  return {
    name: name.required().string() ?? '',
    statements: statements.items().map(readStatement),
  };
}

function readStatement(cursor: Cursor): PolicyStatement {
  const { name, conditions, actions } = cursor.fields('name', 'conditions', 'actions');
  return {
    name: name.string() ?? '',
    conditions: readConditions(conditions),
    actions: readActions(actions.required()),
  };
}

function readConditions(cursor: Cursor): PolicyConditions {
  const at = cursor.fields(
    'rpkiResult',
    'asPathLength',
    'communityCount',
    'routeType',
    'origin',
    'nextHopInList',
    'afiSafiIn',
    'localPrefEq',
    'medEq',
  );
  if (readWord(at.rpkiResult, ['valid', 'invalid', 'not-found']) !== undefined) {
    at.rpkiResult.refuse('origin validation is not carried out: remove it');
  }
  return {
    sets: readSets(cursor),
    asPathLength: readComparison(at.asPathLength, 'length'),
    communityCount: readComparison(at.communityCount, 'count'),
    routeType: readWord(at.routeType, ['internal', 'external', 'local']),
    origin: readWord(at.origin, ['igp', 'egp', 'incomplete']),
    nextHops: at.nextHopInList.items().flatMap((item) => item.parse(parseIpOrPrefix) ?? []),
    families: at.afiSafiIn.items().flatMap((item) => readFamilyName(item) ?? []),
    localPreference: at.localPrefEq.integer(uint32),
    med: at.medEq.integer(uint32),
  };
}

/** Which kind of set each condition names. */
const setFields = {
  prefixSet: 'prefix',
  neighborSet: 'neighbor',
  asPathSet: 'as-path',
  communitySet: 'community',
  extCommunitySet: 'ext-community',
  largeCommunitySet: 'large-community',
} as const satisfies Record<string, MatchSet['type']>;

function readSets(cursor: Cursor): readonly MatchSet[] {
  return Object.entries(setFields).flatMap(([field, type]) => {
    const at = cursor.fields(field)[field];
    if (at === undefined || !at.isPresent) return [];
    const { name, match } = at.fields('name', 'match');
    return [
      {
        type,
        name: name.required().string() ?? '',
        match: readWord(match, ['any', 'all', 'invert']) ?? 'any',
      },
    ];
  });
}

function readComparison(cursor: Cursor, field: 'length' | 'count'): Comparison | undefined {
  if (!cursor.isPresent) return undefined;
  const at = cursor.fields('operator', field);
  return {
    operator: at.operator.required().oneOf(['eq', 'ge', 'le']) ?? 'eq',
    number: at[field].required().integer({ min: 0, max: 255 }) ?? 0,
  };
}
