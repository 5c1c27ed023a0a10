/**
 * The policies of a configuration → the one chain for each direction that the daemon follows. It knows policies only for
 * all neighbours together, so that those of one neighbour become statements on condition of that neighbour.
 *
 * What holds without any policy: our own routes go out, nothing of others comes in, and what others sent is never passed
 * on. A speaker of addresses needs no more, and whatever a router sends cannot harm the node.
 */

import {
  anyRoute,
  type BgpConfig,
  type BgpDefinedSet,
  type MatchSet,
  noActions,
  type PolicyChain,
  type PolicyStatement,
} from '../../model/bgp-config.ts';
import { parseIp } from '../../model/ip.ts';
import { isProblem } from '../../model/parsed.ts';
import { parsePrefix, prefixContains } from '../../model/prefix.ts';
import type { SpeakerPolicies, SpeakerPolicy } from '../../model/speaker.ts';
import { contentName } from './content-name.ts';
import type { ResolvedSessions } from './resolve-sessions.ts';

type Direction = 'import' | 'export';
type Draft = Omit<PolicyStatement, 'name'>;

export function compilePolicies(
  config: BgpConfig,
  sessions: Pick<ResolvedSessions, 'peers' | 'groups'>,
): SpeakerPolicies {
  const sets = new Map<string, BgpDefinedSet>();
  const compile = (direction: Direction) =>
    named(direction, compileDirection(direction, config, sessions), sets, config);
  const result = { import: compile('import'), export: compile('export') };
  return { sets: [...sets.values()], ...result };
}

interface Compiled {
  readonly drafts: readonly Draft[];
  readonly defaultAction: 'accept' | 'reject';
}

function compileDirection(
  direction: Direction,
  config: BgpConfig,
  { peers, groups }: Pick<ResolvedSessions, 'peers' | 'groups'>,
): Compiled {
  const chain = config.global.policy[direction];
  const ofNeighbors = [
    ...peers.map(({ wish, policy }) => ({
      who: wish.peer.kind === 'address' ? [wish.peer.address] : [],
      chain: policy[direction],
    })),
    ...groups.map(({ wish, policy }) => ({ who: wish.prefixes, chain: policy[direction] })),
  ];
  const drafts = [
    ...(direction === 'import' ? [ownFirst] : transitGuard(peers)),
    ...ofNeighbors.flatMap(({ who, chain: own }) => compileNeighbor(who, own, config)),
    ...(chain === undefined ? [] : statementsOf(chain, config)),
  ];
  const usual = direction === 'export' || config.netlinkExport.isEnabled ? 'accept' : 'reject';
  return { drafts, defaultAction: chain?.defaultAction ?? usual };
}

/** The daemon judges our own routes by what is meant for those of others. */
const ownFirst: Draft = {
  conditions: { ...anyRoute, routeType: 'local' },
  actions: { ...noActions, route: 'accept' },
};

/** Unless we are to reflect routes, which is passing them on by intent. */
function transitGuard(peers: ResolvedSessions['peers']): readonly Draft[] {
  if (peers.some(({ wish }) => wish.routeReflector?.isClient === true)) return [];
  return (['external', 'internal'] as const).map((routeType) => {
    return { conditions: { ...anyRoute, routeType }, actions: { ...noActions, route: 'reject' } };
  });
}

function compileNeighbor(
  who: readonly string[],
  chain: PolicyChain | undefined,
  config: BgpConfig,
): readonly Draft[] {
  if (chain === undefined || who.length === 0) return [];
  const itself: MatchSet = { type: 'neighbor', name: neighborSet(who), match: 'any' };
  const own = statementsOf(chain, config).flatMap(({ conditions, actions }) => {
    const asked = conditions.sets.find(({ type }) => type === 'neighbor');
    if (asked !== undefined && !isMeant(who, asked, config)) return [];
    const sets = [itself, ...conditions.sets.filter((set) => set !== asked)];
    return [{ conditions: { ...conditions, sets }, actions }];
  });
  if (chain.defaultAction === undefined) return own;
  const rest = {
    conditions: { ...anyRoute, sets: [itself] },
    actions: { ...noActions, route: chain.defaultAction },
  };
  return [...own, rest];
}

const neighborMark = 'neighbors:';

/** Its members stand in its name until it gets the real one. */
function neighborSet(who: readonly string[]): string {
  return `${neighborMark}${who.join(',')}`;
}

/** A condition on neighbours inside the policy of one neighbour is decided here and now. */
function isMeant(who: readonly string[], { name, match }: MatchSet, config: BgpConfig): boolean {
  const set = config.definedSets.find((each) => each.name === name && each.type === 'neighbor');
  const isIn = who.some((each) => set?.members.some((member) => covers(member, each)) === true);
  return match === 'invert' ? !isIn : isIn;
}

function covers(member: string, who: string): boolean {
  if (member === who) return true;
  const prefix = parsePrefix(
    member.includes('/') ? member : `${member}/${member.includes(':') ? 128 : 32}`,
  );
  const ip = parseIp(who.split('%')[0] ?? '');
  return !isProblem(prefix) && !isProblem(ip) && prefixContains(prefix.value, ip.value);
}

function statementsOf({ policies }: PolicyChain, config: BgpConfig): readonly Draft[] {
  return policies.flatMap(
    (name) => config.policies.find((policy) => policy.name === name)?.statements ?? [],
  );
}

/** Named by content: what has changed is another policy, and what has not stays in force untouched. */
function named(
  direction: Direction,
  { drafts, defaultAction }: Compiled,
  sets: Map<string, BgpDefinedSet>,
  config: BgpConfig,
): SpeakerPolicy {
  const resolved = drafts.map(({ conditions, actions }) => ({
    conditions: {
      ...conditions,
      sets: conditions.sets.map((set) => ({ ...set, name: addSet(set, sets, config) })),
    },
    actions,
  }));
  const name = `purelb-${direction}-${contentName(resolved)}`;
  const statements = resolved.map((each, index) => ({ name: `${name}-${index}`, ...each }));
  return { name, statements, defaultAction };
}

function addSet(
  { type, name }: MatchSet,
  sets: Map<string, BgpDefinedSet>,
  { definedSets }: BgpConfig,
): string {
  const content = name.startsWith(neighborMark)
    ? { members: name.slice(neighborMark.length).split(','), prefixes: [] }
    : (definedSets.find((each) => each.name === name && each.type === type) ?? nothing);
  const { members, prefixes } = content;
  const given = `purelb-${contentName([type, members, prefixes])}`;
  sets.set(`${type} ${given}`, { type, name: given, members, prefixes });
  return given;
}

const nothing = { members: [], prefixes: [] };
