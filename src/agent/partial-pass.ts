/**
 * A pass over the Services that something changed for. It costs the same however many other Services there are. It is
 * for the everyday job alone: an address that comes, is announced, and goes. Wherever anything else plays a part (a
 * silent member, a planned move, a conflict, a doubt) it decides nothing and leaves it to a pass over everything.
 */

import type { AddressDecision } from '../decide/announcement/address-decision.ts';
import type { NodeSnapshot } from '../decide/announcement/node-snapshot.ts';
import { isOrdinary } from '../decide/announcement/ordinary-decision.ts';
import { type Placing, placeAddresses } from '../decide/announcement/place-addresses.ts';
import type { AddressPlan } from '../decide/announcement/plan-addresses.ts';
import { dependsOnEndpoints } from '../decide/announcement/service-needs.ts';
import { findUnmarked } from '../decide/announcement/unmarked-copies.ts';
import { dueTogether } from '../decide/failover/common-beat.ts';
import { placeOf } from '../decide/failover/seen-addresses.ts';
import type { Ip } from '../model/ip.ts';
import type { LoadBalancer } from '../model/load-balancer.ts';
import type { AgentParts, AgentSetup } from './agent-parts.ts';
import { planFor } from './decide-pass.ts';
import type { KeptPass } from './kept-pass.ts';
import type { Scope } from './service-index.ts';
import { tellSome } from './tell-some.ts';
import type { PassPlans } from './wake-count.ts';

/** Undefined: a pass over everything is needed, and nothing has been changed or told. */
export type PartialOutcome =
  | { readonly kind: 'done'; readonly plans: PassPlans }
  /** Something failed, or this process stood still: what was decided may be out of date. */
  | { readonly kind: 'unsure'; readonly decisions: readonly AddressDecision[] }
  | undefined;

/** As for all addresses: those that are due so soon after the first are decided together. */
const togetherMs = 10;

export async function passOverSome(
  setup: AgentSetup,
  parts: AgentParts,
  kept: KeptPass,
  scope: Scope,
): Promise<PartialOutcome> {
  const startedAt = setup.clock.monotonic();
  const services = findServices(parts, scope);
  if (!isCalm(parts, kept) || !isEveryday(parts, kept, scope, services)) return undefined;
  const snapshot = observeSome(setup, parts, kept, { scope, services });
  if (snapshot.self.isStale) return undefined;
  const placing = placeSome(parts, kept, snapshot);
  const plan = planFor(snapshot, placing, parts);
  const isContested = placing.decisions.some((decision) => isClaimedElsewhere(decision, snapshot));
  if (isContested || !placing.decisions.every(isOrdinary) || !isPlain(plan)) return undefined;
  const { decisions } = placing;
  if (!parts.self.hasRunSince(startedAt)) return { kind: 'unsure', decisions: [] };
  parts.forwarding.attend(decisions, scope.ips);
  parts.self.note(decisions);
  const former = kept.formerOf(scope);
  const changes = await parts.keeper.applySome(plan, decisions);
  kept.noteChanges(changes, setup.clock.monotonic());
  const { name: virtualLink } = parts.virtualLink;
  if (parts.keeper.noteChanged(changes, virtualLink)) parts.membership.renewSoon();
  kept.replace(scope, decisions, setup.clock.monotonic());
  const isUnsure = changes.length < plan.changes.length || !parts.self.hasRunSince(startedAt);
  if (isUnsure) return { kind: 'unsure', decisions };
  tellSome(setup, parts, { kept, scope, snapshot, placing, former });
  parts.failover.attendSome({ ...scope, ...snapshot, ...placing }, () => [
    ...kept.decisions.values(),
  ]);
  parts.lookAhead.attendAgain();
  return { kind: 'done', plans: planNext(parts, kept, plan) };
}

function findServices({ objects }: AgentParts, { services }: Scope): readonly LoadBalancer[] {
  return [...services].flatMap((key) => objects.services.get(key)?.value ?? []);
}

/** Whether the node has nothing to do that concerns all of its addresses. */
function isCalm({ departure, keeper }: AgentParts, { whole, isOwnDisplaced }: KeptPass): boolean {
  const { snapshot, setbacks, held } = whole;
  const { config, survey } = snapshot;
  if (config === undefined || config.isGuarded || survey.kind === 'unknown') return false;
  if (held === undefined || departure.isUnderWay || keeper.isOffering) return false;
  // The rules for addresses that displace the node's own look at all addresses of a link.
  return setbacks.size === 0 && keeper.failures.size === 0 && !isOwnDisplaced;
}

/** Whether nothing is known that would make these addresses a case for a pass over everything. */
function isEveryday(
  { moves, ear }: AgentParts,
  kept: KeptPass,
  scope: Scope,
  services: readonly LoadBalancer[],
): boolean {
  const { cluster, machine } = kept.whole;
  if (services.some(dependsOnEndpoints)) return false;
  if (cluster.pools.some(({ withdrawsWithoutEndpoints }) => withdrawsWithoutEndpoints))
    return false;
  const addresses = kept.heldOf(scope.ips, 0);
  if (findUnmarked({ ...machine.kernel, addresses }, services).length > 0) return false;
  const hasReply = (ip: Ip) => (ear.looks.get(ip)?.answers.length ?? 0) > 0;
  if ([...scope.ips].some((ip) => moves.isMoving(ip) || hasReply(ip))) return false;
  return kept.formerOf(scope).every(isOrdinary);
}

/** Decides about all addresses again, by the facts of now, and changes nothing. */
export function decideAgain(
  setup: AgentSetup,
  parts: AgentParts,
  kept: KeptPass,
): readonly AddressDecision[] {
  const scope = parts.index.close([], parts.index.ips);
  const services = findServices(parts, scope);
  return placeAddresses(observeSome(setup, parts, kept, { scope, services })).decisions;
}

interface Part {
  readonly scope: Scope;
  readonly services: readonly LoadBalancer[];
}

/** Facts that are not about these Services are as they were: had they changed, there would be a pass over everything. */
function observeSome(
  { clock }: AgentSetup,
  parts: AgentParts,
  kept: KeptPass,
  { scope, services }: Part,
): NodeSnapshot {
  const { snapshot } = kept.whole;
  const { ear, memory, failover, inquiries, moves, self, membership, members } = parts;
  ear.tidy();
  ear.drain();
  const now = clock.monotonic();
  const { passedOver } = failover;
  const observed = { answers: inquiries.answers, passedOver };
  const wire = memory.viewSome(ear, snapshot.wire, observed, scope.ips);
  return {
    ...snapshot,
    loadBalancers: services,
    held: kept.heldOf(scope.ips, now),
    wire: { ...wire, seen: pickSeen(snapshot.wire.seen, services) },
    forwarding: parts.forwarding.view(),
    handovers: {
      ...snapshot.handovers,
      ...moves.viewSome(services, snapshot.config?.failover, now),
    },
    self: self.view(membership, members.confirmedAt),
    now,
    wallNow: clock.now(),
  };
}

function pickSeen(
  seen: NodeSnapshot['wire']['seen'],
  services: readonly LoadBalancer[],
): NodeSnapshot['wire']['seen'] {
  const places = services.flatMap(({ grant }) =>
    grant.slots.map(({ ip, node }) => placeOf(ip, node)),
  );
  return new Map(
    places.flatMap((place) => {
      const sight = seen.get(place);
      return sight === undefined ? [] : [[place, sight] as const];
    }),
  );
}

function placeSome({ ear }: AgentParts, kept: KeptPass, snapshot: NodeSnapshot): Placing {
  const placing = placeAddresses(snapshot);
  const asks = placing.decisions.flatMap((decision) => decision.asks ?? []);
  if (asks.length === 0 || !placing.decisions.every(isOrdinary)) return placing;
  ear.ask(asks, kept.whole.machine.kernel.links ?? []);
  // Replies arrive within a fraction of a millisecond.
  ear.drain();
  return placeAddresses(snapshot);
}

/** A member other than the elected one says that it owns the address: that is found out for all addresses together. */
function isClaimedElsewhere({ ip, election }: AddressDecision, { wire }: NodeSnapshot): boolean {
  return [...(wire.claims.get(ip) ?? [])].some((node) => node !== election?.winner);
}

function isPlain({ duplicates, blocked, offers }: AddressPlan): boolean {
  return duplicates.length === 0 && blocked.length === 0 && offers.size === 0;
}

/** What a pass over everything planned stays planned. */
function planNext(
  { announcer, failover, teller }: AgentParts,
  { plans, dueTimes }: KeptPass,
  { wakeAt: lifetimesAt }: AddressPlan,
): PassPlans {
  return {
    ...plans,
    placement: dueTogether(dueTimes, togetherMs),
    lifetimes: Math.min(plans.lifetimes ?? Infinity, lifetimesAt),
    announcing: announcer.nextAt,
    noting: teller.notes.nextAt,
    passingOver: failover.passOverAt,
    watching: failover.assignAt,
  };
}
