/** Whether the addresses of a Service are announced, as its condition `Announced` says it, and if not, why. */

import { addressKey } from '../../model/address.ts';
import type { LocalConfig } from '../../model/agent-config.ts';
import type { Slot } from '../../model/announcing.ts';
import type { Conflict } from '../../model/conflict.ts';
import { fitMessage } from '../../model/fit-bytes.ts';
import { familyOf, type Ip } from '../../model/ip.ts';
import type { LoadBalancer } from '../../model/load-balancer.ts';
import { candidateVerdicts } from '../../model/placement-reasons.ts';
import type { AnnouncementReason } from '../../model/reasons.ts';
import { endpointsKey } from '../../model/service-endpoints.ts';
import type { AddressDecision } from './address-decision.ts';
import { conflictRestMs } from './conflict-rest.ts';
import { type Candidate, elect } from './elect.ts';
import { isWithin, pointOf } from './electorate.ts';
import type { Setbacks } from './give-way.ts';
import type { CopyHolders } from './unmarked-copies.ts';
import type { SpeakerFacts } from './who-speaks.ts';

export interface AnnouncedCondition {
  readonly status: 'True' | 'False';
  readonly reason: AnnouncementReason;
  readonly message: string;
}

export interface AnnouncedFacts extends SpeakerFacts {
  readonly node: string;
  readonly config: LocalConfig | undefined;
  readonly decisions: ReadonlyMap<Ip, AddressDecision>;
  /** What the kernel has now, as `ip@link`. */
  readonly heldAt: ReadonlySet<string>;
  /** What the kernel refused, by `addressKey`, in its words. */
  readonly failures: ReadonlyMap<string, string>;
  readonly setbacks: Setbacks;
  readonly copies?: CopyHolders;
  /** By the members' Leases. */
  readonly reports: ReadonlyMap<Ip, Conflict>;
  readonly wallNow: number;
}

/** `slots`: as they will be once this node has written. */
export function judgeAnnounced(
  service: LoadBalancer,
  slots: readonly Slot[],
  facts: AnnouncedFacts,
): AnnouncedCondition {
  const standings = service.grant.ingress.map((ip) => {
    const slot = slots.find((one) => one.ip === ip);
    if (slot !== undefined) return judgeCopies(slot, facts) ?? judgeHeld(service, slot, facts);
    return judgeRefused(ip, facts) ?? judgeWithoutSlot(service, ip, facts);
  });
  const message = fitMessage(standings.map(({ words }) => words).join('; '));
  const reason = standings.find((one) => one.reason !== 'Announced')?.reason ?? 'Announced';
  return { status: reason === 'Announced' ? 'True' : 'False', reason, message };
}

/** A node that does not own it replies for it too, and PureLB cannot stop that. */
function judgeCopies({ ip, node, link }: Slot, { copies }: AnnouncedFacts): Standing | undefined {
  const others = [...(copies?.get(ip) ?? [])].filter((name) => name !== node).sort();
  if (others.length === 0) return undefined;
  const where = others.join(', ');
  const also = `and also on ${where}, where PureLB did not put it: remove it there`;
  return { reason: 'AddressConflict', words: `${ip} by ${node} on ${link}, ${also}` };
}

interface Standing {
  readonly reason: AnnouncementReason;
  readonly words: string;
}

function announced(words: string): Standing {
  return { reason: 'Announced', words };
}

/** With Local the holder drops what it gets while it has no endpoint. */
function judgeHeld(
  { externalTrafficPolicy, key }: LoadBalancer,
  { ip, node, link }: Slot,
  { endpoints }: AnnouncedFacts,
): Standing {
  const words = `${ip} by ${node} on ${link}`;
  if (externalTrafficPolicy === 'Cluster' || endpoints === undefined) return announced(words);
  const serving = [...(endpoints.current.get(endpointsKey(key, familyOf(ip))) ?? [])];
  if (serving.includes(node)) return announced(words);
  const why = serving.length === 0 ? 'none is ready' : `those are on ${listNames(serving)}`;
  const lack = `which drops requests, having no endpoint for externalTrafficPolicy Local: ${why}`;
  return { reason: 'NoEndpoints', words: `${words}, ${lack}` };
}

function judgeRefused(ip: Ip, { decisions }: AnnouncedFacts): Standing | undefined {
  if (decisions.get(ip)?.reason !== 'notGiven') return undefined;
  return { reason: 'AddressRefused', words: `${ip} is not announced: ${refusal}` };
}

function judgeWithoutSlot(service: LoadBalancer, ip: Ip, facts: AnnouncedFacts): Standing {
  const decision = facts.decisions.get(ip);
  const not = (reason: AnnouncementReason, why: string) => ({
    reason,
    words: `${ip} is not announced: ${why}`,
  });
  const stranger = findStranger(ip, facts);
  if (stranger !== undefined) return not('AddressConflict', `${stranger} has it`);
  const words = findFailure(ip, decision, facts);
  if (words !== undefined) return not('AnnouncementFailed', `${facts.node}: ${words}`);
  if (decision?.reason === 'noEndpoints' && !isServed(service, ip, facts)) {
    return not('NoEndpoints', 'no endpoint is ready');
  }
  const isRemote = decision?.mode === 'remote' || decision?.mode === 'auto';
  if (isRemote && !hasSubnet(ip, facts)) return judgeRemote(service, ip, facts) ?? pending(ip);
  const { winner, candidates } = decision?.election ?? electAnew(ip, facts);
  if (winner !== undefined) return not('Pending', `${winner} is to do so`);
  return not(reasonOf(candidates), describeCandidates(candidates));
}

/** Said in an Event as well. */
export const refusal =
  'no ServiceGroup has it, and the condition Allocated does not name it; if it is to be announced, add it to a ServiceGroup';

/** A report that is old may be of a node that is gone; a fresh one is repeated. */
function findStranger(ip: Ip, { reports, wallNow }: AnnouncedFacts): string | undefined {
  const report = reports.get(ip);
  if (report === undefined || wallNow - report.seenAt >= conflictRestMs) return undefined;
  return report.mac;
}

function findFailure(
  ip: Ip,
  decision: AddressDecision | undefined,
  { failures, setbacks }: AnnouncedFacts,
): string | undefined {
  if (failures.size + setbacks.size === 0) return undefined;
  const outcome = decision?.outcome;
  const key = outcome !== undefined && 'wanted' in outcome ? addressKey(outcome.wanted) : '';
  return failures.get(key) ?? setbacks.get(ip)?.words;
}

function pending(ip: Ip): Standing {
  return { reason: 'Pending', words: `${ip} is not announced yet` };
}

/** This node vouches for its own virtual link only; others have theirs by the same rules. */
function judgeRemote(
  { externalTrafficPolicy }: LoadBalancer,
  ip: Ip,
  { decisions, heldAt, config }: AnnouncedFacts,
): Standing | undefined {
  const { outcome, reason } = decisions.get(ip) ?? {};
  const isHere = outcome?.kind === 'remote' && heldAt.has(`${ip}@${outcome.wanted.link}`);
  // Without endpoints of its family here it is for other nodes to have it.
  if (!isHere && reason !== 'noEndpoints') return undefined;
  const where = externalTrafficPolicy === 'Local' ? 'the nodes with endpoints' : 'every node';
  return announced(`${ip} on ${config?.dummyLink} of ${where}`);
}

function isServed({ key }: LoadBalancer, ip: Ip, { endpoints }: AnnouncedFacts): boolean {
  return (endpoints?.current.get(endpointsKey(key, familyOf(ip)))?.size ?? 0) > 0;
}

function hasSubnet(ip: Ip, { electorate }: AnnouncedFacts): boolean {
  const point = pointOf(ip);
  return electorate.electors.some(({ subnets }) => isWithin(subnets, point));
}

/** For an address in whose subnet this node is not. */
function electAnew(ip: Ip, { electorate }: AnnouncedFacts) {
  return elect(electorate, { ip, placement: 'Sticky' });
}

function reasonOf(candidates: readonly Candidate[]): AnnouncementReason {
  const hasFailed = candidates.some(({ verdict }) => verdict === 'addFailed');
  return hasFailed ? 'AnnouncementFailed' : 'NoEligibleNode';
}

const mostNames = 3;

/** `its Lease was not renewed (node1, node2)`; nodes of other subnets are worth a word only where there are no others. */
function describeCandidates(candidates: readonly Candidate[]): string {
  const near = candidates.filter(({ verdict }) => verdict !== 'otherSubnet');
  if (near.length === 0) return 'no node has a link in its subnet';
  const groups = Map.groupBy(near, ({ verdict }) => verdict);
  return [...groups]
    .map(
      ([verdict, group]) =>
        `${candidateVerdicts[verdict]} (${listNames(group.map(({ node }) => node))})`,
    )
    .sort()
    .join(', ');
}

function listNames(names: readonly string[]): string {
  const more = names.length - mostNames;
  const shown = names.toSorted().slice(0, mostNames).join(', ');
  return more > 0 ? `${shown} and ${more} more` : shown;
}
