/** One pass: what is configured, on the links and at the daemon → changes at the daemon, and a record of all of it. */

import type { BgpRecord } from '../decide/advertisement/bgp-record.ts';
import type { BgpChoice } from '../decide/advertisement/choose-bgp-config.ts';
import { compilePolicies } from '../decide/advertisement/compile-policies.ts';
import { bidFarewell, type Farewell } from '../decide/advertisement/farewell.ts';
import { findIpv6NextHop } from '../decide/advertisement/find-next-hop.ts';
import { holdBackBfd } from '../decide/advertisement/hold-back-bfd.ts';
import { type PathPlan, planPaths } from '../decide/advertisement/plan-paths.ts';
import {
  type Applied,
  groupKey,
  planSilence,
  planSpeaker,
} from '../decide/advertisement/plan-speaker.ts';
import { type RouterId, resolveRouterId } from '../decide/advertisement/resolve-router-id.ts';
import {
  type ResolvedSessions,
  resolveSessions,
  type SecretAnswer,
  type SessionNote,
} from '../decide/advertisement/resolve-sessions.ts';
import { type AttributePlan, planAttributes } from '../decide/advertisement/route-attributes.ts';
import type { SpeakerFailure } from '../gobgp/speaker.ts';
import type { HeldAddress } from '../model/address.ts';
import type { BgpConfig } from '../model/bgp-config.ts';
import type { ClusterNode } from '../model/cluster-node.ts';
import type { Link } from '../model/link.ts';
import { isProblem, type Parsed } from '../model/parsed.ts';
import { formatPrefix } from '../model/prefix.ts';
import {
  peerKey,
  type SpeakerChange,
  type SpeakerIdentity,
  type SpeakerState,
  type SpeakerWish,
} from '../model/speaker.ts';
import type { BgpSurroundings } from './bgp-setup.ts';

export interface PassFacts {
  readonly choice: BgpChoice;
  readonly surroundings: BgpSurroundings & { readonly me: ClusterNode };
  readonly secret: (name: string, key: string) => SecretAnswer;
  readonly links: readonly Link[];
  readonly addresses: readonly HeldAddress[];
  readonly state: SpeakerState;
  readonly applied: Applied;
  readonly farewell: Farewell;
}

export interface Pass {
  readonly changes: readonly SpeakerChange[];
  readonly wish: SpeakerWish | undefined;
  readonly record: Omit<BgpRecord, 'state' | 'failures' | 'learnt' | 'installed'>;
}

export function planPass(facts: PassFacts): Pass {
  const { choice, links, state } = facts;
  const { config } = choice;
  const record = { choice, links, ...nothing };
  // One that cannot be carried out leaves the daemon as it is; without any, nobody is told anything.
  if (choice.chosen === undefined) return { changes: planSilence(state), wish: undefined, record };
  if (config === undefined) return { changes: [], wish: undefined, record };
  const found = resolveRouterId(config.global, facts.surroundings.me);
  if (isProblem(found)) {
    return { changes: [], wish: undefined, record: { ...record, notes: [unresolved(found)] } };
  }
  const sessions = resolveSessions({
    config,
    labels: facts.surroundings.me.labels,
    secret: facts.secret,
  });
  const plan = pathsOf(config, sessions, facts);
  const { paths, refusals } = attributed(config, sessions, plan, facts);
  const wish = {
    ...wishOf(config, found.value, sessions),
    peers: holdBackBfd(
      sessions.peers.map(({ wish: each }) => each),
      state.peers,
    ),
    paths,
  };
  const { changes, needsRestart } = planSpeaker({ ...facts, wish, held: sessions.held });
  const notes = [...sessions.notes, ...warn(choice), ...unsafe(plan)];
  const { imported } = plan;
  return {
    changes,
    wish,
    record: {
      choice,
      links,
      routerId: found.value,
      sessions,
      imported,
      needsRestart,
      notes,
      refusals,
    },
  };
}

const nothing = {
  routerId: undefined,
  sessions: undefined,
  imported: [],
  needsRestart: [],
  notes: [],
  refusals: [],
} as const;

function unresolved({ problems }: Exclude<Parsed<RouterId>, { value: RouterId }>): SessionNote {
  const message = `Router ID resolution failed: ${problems[0]?.message}`;
  return { reason: 'RouterIDResolutionFailed', message };
}

function pathsOf(config: BgpConfig, { peers }: ResolvedSessions, facts: PassFacts): PathPlan {
  const { links, addresses, surroundings } = facts;
  const { internalIps, externalIps } = surroundings.me;
  return planPaths({
    import: config.netlinkImport,
    addresses,
    virtualLink: surroundings.virtualLink,
    served: new Set(surroundings.unmarkedServed),
    memberSubnets: surroundings.members.flatMap(({ subnets }) => subnets),
    protectedPrefixes: surroundings.protectedPrefixes,
    ipv6NextHop: findIpv6NextHop({
      peers: peers.map(({ wish }) => wish),
      links,
      addresses,
      nodeIps: [...internalIps, ...externalIps],
    }),
  });
}

function attributed(
  { global, serviceAttributes }: BgpConfig,
  { peers, groups }: ResolvedSessions,
  { paths }: PathPlan,
  { surroundings, farewell }: PassFacts,
): AttributePlan {
  const sessions = [...peers, ...groups].map(({ wish }) => wish);
  const plan = planAttributes(paths, {
    services: surroundings.services,
    allowed: serviceAttributes,
    asn: global.asn,
    hasInternal: sessions.some((one) => one.peerAsn === (one.localAsn ?? global.asn)),
  });
  return { ...plan, paths: bidFarewell(plan.paths, farewell) };
}

function wishOf(
  config: BgpConfig,
  { ip }: RouterId,
  sessions: ResolvedSessions,
): Omit<SpeakerWish, 'peers' | 'paths'> {
  return {
    identity: identityOf(config, ip),
    policies: compilePolicies(config, sessions),
    groups: sessions.groups.map(({ wish }) => wish),
  };
}

function identityOf({ global }: BgpConfig, routerId: RouterId['ip']): SpeakerIdentity {
  const { asn, listenPort, listenAddresses, usesMultiplePaths, routeSelection, bindToDevice } =
    global;
  return {
    asn,
    routerId,
    listenPort,
    listenAddresses,
    usesMultiplePaths,
    routeSelection,
    bindToDevice,
  };
}

function warn({ warnings }: BgpChoice): readonly SessionNote[] {
  return warnings.map(({ path, message }) => {
    return { reason: 'InertSettings', message: `${path}: ${message}` };
  });
}

function unsafe({ imported }: PathPlan): readonly SessionNote[] {
  return imported
    .filter(({ reason }) => reason === 'aggregationUnsafe')
    .map(({ address, prefix }) => ({
      reason: 'AggregationUnsafe',
      message: `${address} is advertised as ${prefix === undefined ? '' : formatPrefix(prefix)}: its prefix holds addresses of the cluster itself`,
    }));
}

/** What of the wish the daemon has taken, so that the next pass need not say it again. */
export function rememberApplied(
  wish: SpeakerWish,
  before: Applied,
  failures: readonly SpeakerFailure[],
): Applied {
  const failed = new Set(failures.flatMap(({ change }) => keyOfChange(change) ?? []));
  const sessions = [
    ...wish.peers.map((peer) => [peerKey(peer.peer), peer.fingerprint] as const),
    ...wish.groups.map((group) => [groupKey(group.name), group.fingerprint] as const),
  ];
  return new Map(
    sessions.flatMap(([key, fingerprint]) => {
      if (!failed.has(key)) return [[key, fingerprint] as const];
      const known = before.get(key);
      return known === undefined ? [] : [[key, known] as const];
    }),
  );
}

export function keyOfChange(change: SpeakerChange): string | undefined {
  switch (change.kind) {
    case 'add-peer':
    case 'update-peer':
      return peerKey(change.peer.peer);
    case 'remove-peer':
      return peerKey(change.peer);
    case 'add-group':
    case 'update-group':
      return groupKey(change.group.name);
    case 'reset-peer':
      return change.address;
    case 'start':
    case 'set-policies':
    case 'remove-policies':
    case 'remove-group':
    case 'add-dynamic':
    case 'remove-dynamic':
    case 'set-paths':
      return undefined;
    default:
      return change satisfies never;
  }
}

/** In words without the password. */
export function describeFailure({ change, words }: SpeakerFailure): string {
  const key = keyOfChange(change);
  return key === undefined ? `${change.kind}: ${words}` : `${change.kind} ${key}: ${words}`;
}
