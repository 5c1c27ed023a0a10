/** What the daemon is to be, and what it says it is ⇒ the changes between the two. */

import { pathKey } from '../../model/bgp-path.ts';
import { parseIp } from '../../model/ip.ts';
import { isProblem } from '../../model/parsed.ts';
import { formatPrefix, parsePrefix, prefixContains } from '../../model/prefix.ts';
import {
  type PeerName,
  type PeerReading,
  type PeerWish,
  peerKey,
  type SpeakerChange,
  type SpeakerIdentity,
  type SpeakerState,
  type SpeakerWish,
} from '../../model/speaker.ts';

/** Fingerprints of sessions as they were last set, by key: the daemon does not tell passwords. */
export type Applied = ReadonlyMap<string, string>;

export interface SpeakerFacts {
  readonly wish: SpeakerWish;
  readonly state: SpeakerState;
  readonly applied: Applied;
  /** Sessions that are left as they are. */
  readonly held: readonly PeerName[];
}

export interface SpeakerPlan {
  readonly changes: readonly SpeakerChange[];
  /** What only another process of the daemon can take on. */
  readonly needsRestart: readonly string[];
}

/**
 * Routes come before neighbours when the daemon is new: a neighbour that kept our routes through a restart must not see
 * an empty table first. Policies come before both, removals after everything.
 */
export function planSpeaker(facts: SpeakerFacts): SpeakerPlan {
  const { wish, state } = facts;
  const isNew = state.identity === undefined;
  const changes: readonly SpeakerChange[] = [
    ...(isNew ? [{ kind: 'start', identity: wish.identity } as const] : []),
    ...planPolicies(facts),
    ...planPathChanges(facts),
    ...planGroups(facts),
    ...planPeers(facts, isNew),
    ...planOldPolicies(facts),
  ];
  return { changes, needsRestart: isNew ? [] : findDifferences(wish.identity, state) };
}

/** Without a configuration: nobody is told anything, and nothing is advertised. */
export function planSilence(state: SpeakerState): readonly SpeakerChange[] {
  return [
    ...(state.paths.length > 0
      ? [{ kind: 'set-paths', add: [], withdraw: state.paths } as const]
      : []),
    ...state.dynamicPrefixes.map((each) => ({ kind: 'remove-dynamic', ...each }) as const),
    ...state.peers.map(({ peer, address }) => ({ kind: 'remove-peer', peer, address }) as const),
    ...state.groups.map((name) => ({ kind: 'remove-group', name }) as const),
  ];
}

function findDifferences(wanted: SpeakerIdentity, { identity }: SpeakerState): readonly string[] {
  return [
    ...(identity?.asn === wanted.asn ? [] : ['asn']),
    ...(identity?.routerId === wanted.routerId ? [] : ['routerID']),
    ...(identity?.listenPort === wanted.listenPort ? [] : ['listenPort']),
  ];
}

function planPolicies({ wish, state }: SpeakerFacts): readonly SpeakerChange[] {
  const isInForce = (['import', 'export'] as const).every((direction) => {
    const found = state.policies[direction];
    const wanted = wish.policies[direction];
    return (
      found.policies.length === 1 &&
      found.policies[0] === wanted.name &&
      found.defaultAction === wanted.defaultAction
    );
  });
  return isInForce ? [] : [{ kind: 'set-policies', policies: wish.policies }];
}

const ours = /^purelb-/;

function planOldPolicies({ wish, state }: SpeakerFacts): readonly SpeakerChange[] {
  const { policies } = wish;
  const kept = new Set([policies.import.name, policies.export.name]);
  const keptSets = new Set(policies.sets.map(({ name }) => name));
  const names = state.policies.names.filter((name) => ours.test(name) && !kept.has(name));
  const sets = state.policies.sets.filter(({ name }) => ours.test(name) && !keptSets.has(name));
  return names.length + sets.length === 0 ? [] : [{ kind: 'remove-policies', names, sets }];
}

function planPathChanges({ wish, state }: SpeakerFacts): readonly SpeakerChange[] {
  const known = new Set(state.paths.map(pathKey));
  const add = wish.paths.filter((path) => !known.has(pathKey(path)));
  const wanted = new Set(wish.paths.map(({ prefix }) => formatPrefix(prefix)));
  const withdraw = state.paths.filter(({ prefix }) => !wanted.has(formatPrefix(prefix)));
  return add.length + withdraw.length === 0 ? [] : [{ kind: 'set-paths', add, withdraw }];
}

export const groupKey = (name: string) => `group:${name}`;

function planGroups({ wish, state, applied }: SpeakerFacts): readonly SpeakerChange[] {
  const wanted = wish.groups.flatMap(({ name, prefixes }) =>
    prefixes.map((prefix) => ({ prefix, group: name })),
  );
  const isSame = (left: (typeof wanted)[number], right: (typeof wanted)[number]) =>
    left.prefix === right.prefix && left.group === right.group;
  const added = wanted.filter((each) => !state.dynamicPrefixes.some((it) => isSame(it, each)));
  const gone = state.dynamicPrefixes.filter((each) => !wanted.some((it) => isSame(it, each)));
  const names = wish.groups.map(({ name }) => name);
  return [
    ...wish.groups.flatMap((group): readonly SpeakerChange[] => {
      if (!state.groups.includes(group.name)) return [{ kind: 'add-group', group }];
      const isKnown = applied.get(groupKey(group.name)) === group.fingerprint;
      return isKnown ? [] : [{ kind: 'update-group', group }];
    }),
    ...gone.map((each) => ({ kind: 'remove-dynamic', ...each }) as const),
    ...added.map((each) => ({ kind: 'add-dynamic', ...each }) as const),
    ...state.groups
      .filter((name) => !names.includes(name))
      .map((name) => ({ kind: 'remove-group', name }) as const),
  ];
}

function planPeers({ wish, state, applied, held }: SpeakerFacts, isNew: boolean) {
  const known = new Map(state.peers.map((peer) => [peerKey(peer.peer), peer]));
  const kept = new Set([...wish.peers.map(({ peer }) => peer), ...held].map(peerKey));
  const gone = state.peers.filter(
    (peer) => !kept.has(peerKey(peer.peer)) && !isDynamic(peer, wish),
  );
  return [
    ...wish.peers.flatMap((peer): readonly SpeakerChange[] => {
      const reading = known.get(peerKey(peer.peer));
      if (reading === undefined) return [{ kind: 'add-peer', peer, isRestarting: isNew }];
      return isAsWanted(peer, reading, applied) ? [] : changePeer(peer, reading, applied);
    }),
    ...gone.map(({ peer, address }): SpeakerChange => ({ kind: 'remove-peer', peer, address })),
  ];
}

function isAsWanted(wish: PeerWish, reading: PeerReading, applied: Applied): boolean {
  return (
    applied.get(peerKey(wish.peer)) === wish.fingerprint &&
    reading.peerAsn === wish.peerAsn &&
    reading.isDown === wish.isDown &&
    !isLost(wish, reading)
  );
}

/** At the other end of a link there may be another router by now: the daemon looks only when it is told to. */
function isLost({ peer, isDown }: PeerWish, { state }: PeerReading): boolean {
  return peer.kind === 'link' && !isDown && state !== 'Established';
}

/** Of another process we do not know what it set: the daemon takes the same once more without resetting anything. */
function changePeer(
  peer: PeerWish,
  { address, state }: PeerReading,
  applied: Applied,
): readonly SpeakerChange[] {
  const update: SpeakerChange = { kind: 'update-peer', peer, address };
  const before = applied.get(peerKey(peer.peer));
  const isRetimed = before !== undefined && timersOf(before) !== timersOf(peer.fingerprint);
  if (!isRetimed || state !== 'Established' || address === '') return [update];
  return [update, { kind: 'reset-peer', address, words: 'other timers' }];
}

const timersOf = (fingerprint: string) => fingerprint.split('-')[0];

/** A router that connected by itself is not in the list, and belongs there all the same. */
function isDynamic({ address }: PeerReading, { groups }: SpeakerWish): boolean {
  const ip = parseIp(address.split('%')[0] ?? '');
  if (isProblem(ip)) return false;
  return groups
    .flatMap(({ prefixes }) => prefixes.map((text) => parsePrefix(text)))
    .some((prefix) => !isProblem(prefix) && prefixContains(prefix.value, ip.value));
}
