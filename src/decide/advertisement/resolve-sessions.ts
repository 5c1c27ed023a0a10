/** The neighbours of this node, each with all that it takes from its peer group and from the speaker. */

import type {
  BgpConfig,
  BgpNeighbor,
  BgpPassword,
  BgpPeerGroup,
  BgpSession,
  FamilySettings,
  PolicyChain,
} from '../../model/bgp-config.ts';
import type { Labels } from '../../model/identity.ts';
import { matchesLabels } from '../../model/label-selector.ts';
import { formatPrefix } from '../../model/prefix.ts';
import type { EventReason } from '../../model/reasons.ts';
import {
  type GroupWish,
  type PeerName,
  type PeerWish,
  peerKey,
  type SessionWish,
} from '../../model/speaker.ts';
import { contentName } from './content-name.ts';
import { inheritSession } from './inherit-session.ts';

/** `unknown`: it could not be read (yet), which is not the same as absent. */
export type SecretAnswer =
  | { readonly kind: 'found'; readonly text: string }
  | { readonly kind: 'absent' | 'unknown'; readonly words: string };

export interface SessionFacts {
  readonly config: BgpConfig;
  readonly labels: Labels;
  readonly secret: (name: string, key: string) => SecretAnswer;
}

export interface ResolvedSessions {
  readonly peers: readonly ResolvedPeer[];
  readonly groups: readonly ResolvedGroup[];
  /** Cannot be set up or changed now; a session that is there is left as it is. */
  readonly held: readonly PeerName[];
  readonly notes: readonly SessionNote[];
}

export interface ResolvedPeer {
  readonly wish: PeerWish;
  readonly policy: Chains;
  /** Names of blocks that come from its peer group. */
  readonly inherited: readonly string[];
}

export interface ResolvedGroup {
  readonly wish: GroupWish;
  readonly policy: Chains;
}

export interface Chains {
  readonly import: PolicyChain | undefined;
  readonly export: PolicyChain | undefined;
}

export interface SessionNote {
  readonly reason: EventReason;
  readonly message: string;
}

export function resolveSessions(facts: SessionFacts): ResolvedSessions {
  const { config, labels } = facts;
  const groups = config.peerGroups.filter(({ nodeSelector }) =>
    matchesLabels(nodeSelector, labels),
  );
  const here = config.neighbors.filter(({ nodeSelector }) => matchesLabels(nodeSelector, labels));
  const outcomes = here.map((neighbor) => resolvePeer(neighbor, groups, facts));
  const dynamic = resolveGroups(groups, facts);
  const isSelective = config.neighbors.some(({ nodeSelector }) => nodeSelector.length > 0);
  const isAlone = here.length === 0 && isSelective && dynamic.groups.length === 0;
  return {
    peers: outcomes.flatMap(({ peer }) => peer ?? []),
    groups: dynamic.groups,
    held: outcomes.flatMap(({ held }) => held ?? []),
    notes: [
      ...outcomes.flatMap(({ notes }) => notes),
      ...dynamic.notes,
      ...(isAlone ? [{ reason: 'NoMatchingNeighbors', message: noneMatches } as const] : []),
    ],
  };
}

const noneMatches = 'no neighbour selects this node';

interface Outcome {
  readonly peer?: ResolvedPeer;
  readonly held?: PeerName;
  readonly notes: readonly SessionNote[];
}

function resolvePeer(
  neighbor: BgpNeighbor,
  groups: readonly BgpPeerGroup[],
  facts: SessionFacts,
): Outcome {
  const name = nameOf(neighbor);
  const group = groups.find((each) => each.name === neighbor.peerGroup);
  if (neighbor.peerGroup !== undefined && group === undefined) {
    const message = `neighbour ${peerKey(name)}: peer group ${neighbor.peerGroup} is not on this node`;
    return { notes: [{ reason: 'PeerGroupMissing', message }] };
  }
  const { session, inherited, isOverridden } = inheritSession(neighbor, group);
  const notes: SessionNote[] = isOverridden ? [overridden(name, session)] : [];
  const password = findPassword(session.password, facts);
  if ('words' in password) {
    const message = `neighbour ${peerKey(name)}: ${password.words}`;
    return { held: name, notes: [...notes, { reason: 'PeerNotConfigured', message }] };
  }
  const obstacle = findObstacle(name, session);
  if (obstacle !== undefined) {
    const message = `neighbour ${peerKey(name)}: ${obstacle}`;
    return { notes: [...notes, { reason: 'PeerNotConfigured', message }] };
  }
  const { isDown, routeReflector } = neighbor;
  const wish = {
    ...wishOf(session, password.text, facts.config),
    peer: name,
    isDown,
    routeReflector,
  };
  const peer = { wish: fingerprinted(wish), policy: chainsOf(session), inherited };
  return { peer, notes };
}

function nameOf({ peer }: BgpNeighbor): PeerName {
  if (peer.kind === 'link') return peer;
  const { ip, zone } = peer;
  return { kind: 'address', address: zone === undefined ? ip : `${ip}%${zone}` };
}

function overridden(name: PeerName, { peerAsn }: BgpSession): SessionNote {
  const message = `neighbour ${peerKey(name)}: its peer group's AS number ${peerAsn} counts, not its own`;
  return { reason: 'PeerAsnOverridden', message };
}

function findObstacle(name: PeerName, session: BgpSession): string | undefined {
  const { peerAsn, policy, multihopTtl, leastTtl } = session;
  if (peerAsn === undefined) return 'neither it nor its peer group has an AS number';
  if (name.kind === 'link' && policy !== undefined) {
    return 'policies of its own need an address: an unnumbered neighbour has none';
  }
  if (multihopTtl !== undefined && leastTtl !== undefined) {
    return 'ebgpMultihop and ttlSecurity do not go together, and one comes from its peer group';
  }
  return undefined;
}

function findPassword(
  password: BgpPassword | undefined,
  { secret }: SessionFacts,
): { readonly text: string | undefined } | { readonly words: string } {
  if (password === undefined) return { text: undefined };
  if (password.kind === 'inline') return { text: password.text };
  const answer = secret(password.name, password.key);
  if (answer.kind === 'found') return { text: answer.text };
  if (answer.kind === 'absent' && password.isOptional) return { text: undefined };
  return { words: answer.words };
}

function wishOf(
  session: BgpSession,
  password: string | undefined,
  { global }: BgpConfig,
): Omit<SessionWish, 'fingerprint'> {
  const all: readonly FamilySettings[] = global.families.map((family) => {
    return { family, isEnabled: true, prefixLimit: undefined, addPaths: undefined };
  });
  return {
    description: session.description ?? '',
    peerAsn: session.peerAsn ?? 0,
    localAsn: session.localAsn,
    password,
    allowOwnAsn: session.allowOwnAsn ?? 0,
    replacePeerAsn: session.replacePeerAsn ?? false,
    allowAspathLoopLocal: session.allowAspathLoopLocal ?? false,
    removePrivate: session.removePrivate,
    sendSoftwareVersion: session.sendSoftwareVersion ?? false,
    families: session.families ?? all,
    timers: session.timers ?? {
      connectRetry: undefined,
      holdTime: undefined,
      keepalive: undefined,
    },
    transport: session.transport,
    gracefulRestart: session.gracefulRestart ?? global.gracefulRestart,
    multihopTtl: session.multihopTtl,
    leastTtl: session.leastTtl,
    bfd: session.bfd,
  };
}

/** Timers first: the daemon takes others only when the session is reset. */
function fingerprinted<T extends Pick<SessionWish, 'timers'>>(
  wish: T,
): T & { readonly fingerprint: string } {
  return { ...wish, fingerprint: `${contentName(wish.timers)}-${contentName(wish)}` };
}

function chainsOf({ policy }: BgpSession): Chains {
  return { import: policy?.import, export: policy?.export };
}

function resolveGroups(
  groups: readonly BgpPeerGroup[],
  facts: SessionFacts,
): { readonly groups: readonly ResolvedGroup[]; readonly notes: readonly SessionNote[] } {
  const notes: SessionNote[] = [];
  const resolved: ResolvedGroup[] = [];
  const names = new Set(facts.config.dynamicNeighbors.map(({ peerGroup }) => peerGroup));
  for (const name of names) {
    const group = groups.find((each) => each.name === name);
    const password = findPassword(group?.password, facts);
    if (group === undefined || group.peerAsn === undefined || 'words' in password) {
      notes.push({ reason: 'PeerGroupMissing', message: groupProblem(name, group, password) });
      continue;
    }
    const prefixes = facts.config.dynamicNeighbors
      .filter(({ peerGroup }) => peerGroup === name)
      .map(({ prefix }) => formatPrefix(prefix));
    const wish = { ...wishOf(group, password.text, facts.config), name, prefixes };
    resolved.push({ wish: fingerprinted(wish), policy: chainsOf(group) });
  }
  return { groups: resolved, notes };
}

function groupProblem(name: string, group: BgpPeerGroup | undefined, password: object): string {
  const what = `dynamic neighbours of peer group ${name}`;
  if (group === undefined) return `${what}: the group is not on this node`;
  if ('words' in password) return `${what}: ${password.words}`;
  return `${what}: the group has no AS number`;
}
