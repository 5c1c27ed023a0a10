/** What the agent knows and last decided, with reasons, for people and tools: the JSON that `agent state` prints. */

import type { AddressDecision } from '../decide/announcement/address-decision.ts';
import { findFailing, type Setback } from '../decide/announcement/give-way.ts';
import { type Doubt, everyLink } from '../decide/failover/distrust-self.ts';
import type { HandingOver } from '../decide/failover/hand-over.ts';
import { addressKey, type HeldAddress } from '../model/address.ts';
import { doubtReasons } from '../model/doubt-reasons.ts';
import type { Ip } from '../model/ip.ts';
import { moveCauses, placementReasons } from '../model/placement-reasons.ts';
import { formatPrefix } from '../model/prefix.ts';
import type { Agent } from './agent.ts';
import type { PassRecord } from './pass-record.ts';

/** `ip=ADDRESS` or `service=NAMESPACE/NAME` asks for the decisions about those alone. */
export function describeState(agent: Agent, query: URLSearchParams): unknown {
  const { parts, last } = agent;
  return {
    unsynced: parts.objects.unsynced,
    lease: describeLease(parts.membership),
    peers: { isAuthenticated: parts.keys.names.length > 0, keys: parts.keys.names },
    isWatchingEndpoints: parts.endpoints.isWatching,
    pendingWrites: parts.slots.pending,
    failures: Object.fromEntries(parts.keeper.failures),
    guard: parts.guard.state,
    watching: parts.failover.watching,
    doubts: [...parts.self.doubts].map(describeDoubt),
    ...(last === undefined ? {} : describePass(last, query)),
  };
}

function describeLease({ leaseName, isHealthy, isFailing }: Agent['parts']['membership']) {
  return { name: leaseName, isHealthy, isFailing };
}

function describeDoubt([link, { at, because }]: [string, Doubt]) {
  return { link: link === everyLink ? 'every' : link, at, because, why: doubtReasons[because] };
}

function describePass(pass: PassRecord, query: URLSearchParams) {
  const { cluster, machine, snapshot, placing, held, liveness, setbacks, tookMs } = pass;
  const { number, parts } = pass;
  const failing = findFailing(setbacks, snapshot.now);
  const describeSetback = ([ip, { link, words, attempts }]: [Ip, Setback]) =>
    [ip, { link, words, attempts, isFailing: failing.has(ip) }] as const;
  const { choice, members } = cluster;
  const ours = (held ?? []).filter(({ isOurs }) => isOurs);
  return {
    node: snapshot.node,
    pass: { number, parts, at: new Date(snapshot.wallNow).toISOString(), tookMs },
    configuration: { state: choice.state, source: choice.source },
    members: members.map(({ node, subnets, instance, protocolVersion, peerKeys }) => ({
      node,
      liveness: liveness.get(node),
      subnets: subnets.map(formatPrefix),
      instance,
      protocolVersion,
      peerKeys,
    })),
    forwarding: {
      waitMs: choice.config?.forwardingWaitMs,
      waiting: Object.fromEntries(snapshot.forwarding ?? []),
    },
    links: describeLinks(machine),
    wanted: placing.wanted.map(addressKey),
    held: held === undefined ? undefined : ours.map(describeHeld),
    addresses: describeDecisions(placing.decisions, query),
    unmarked: snapshot.unmarked,
    conflicts: Object.fromEntries(snapshot.wire.conflicts),
    setbacks: Object.fromEntries([...setbacks].map(describeSetback)),
  };
}

function describeLinks({ survey }: PassRecord['machine']) {
  if (survey.kind === 'unknown') return { unread: survey.unread };
  const describe = (family: 'ipv4' | 'ipv6') =>
    survey.links[family].map(({ link, health, subnets }) => ({
      link: link.name,
      mac: link.mac,
      health,
      subnets: subnets.map(formatPrefix),
    }));
  return { ipv4: describe('ipv4'), ipv6: describe('ipv6') };
}

/** `Infinity` is no JSON. */
function describeHeld({ link, ip, prefixLength, validSeconds }: HeldAddress) {
  const lifetime = validSeconds === Infinity ? 'forever' : validSeconds;
  return { address: addressKey({ link, ip, prefixLength }), validSeconds: lifetime };
}

/** One at a time, as the reader takes them: there are thousands. */
function* describeDecisions(decisions: readonly AddressDecision[], query: URLSearchParams) {
  for (const each of decisions) if (isAskedFor(each, query)) yield describeDecision(each);
}

function isAskedFor({ ip, services }: AddressDecision, query: URLSearchParams): boolean {
  const service = query.get('service');
  const address = query.get('ip');
  return (service === null || services.includes(service)) && (address === null || address === ip);
}

function describeDecision(decision: AddressDecision) {
  const { ip, services, mode, outcome, reason, election, findings, conflict, handover } = decision;
  return {
    ip,
    services,
    mode,
    outcome: outcome.kind,
    ...('wanted' in outcome ? { on: addressKey(outcome.wanted) } : {}),
    reason,
    why: placementReasons[reason],
    election,
    findings,
    conflict,
    handover: handover?.role === 'holder' ? describeHanding(handover) : handover,
  };
}

/** A map is no JSON. */
function describeHanding({ failed, ...handing }: HandingOver) {
  return { ...handing, why: moveCauses[handing.cause], passedOver: [...failed.keys()] };
}
