/** The middle of a pass: from what was watched, read and heard to what belongs here, asking the wire on the way. */

import { findFailing, type Setbacks } from '../decide/announcement/give-way.ts';
import type { NodeSnapshot } from '../decide/announcement/node-snapshot.ts';
import { type Placing, placeAddresses } from '../decide/announcement/place-addresses.ts';
import { type AddressPlan, planAddresses } from '../decide/announcement/plan-addresses.ts';
import type { FailoverTimings } from '../model/agent-config.ts';
import type { AgentParts, AgentSetup } from './agent-parts.ts';
import { askAgainMs } from './kept-pass.ts';
import { identify, type Surroundings, takeSnapshot } from './snapshot.ts';
import { attended } from './tell-everyone.ts';

export type Seen = Pick<
  Surroundings,
  'cluster' | 'machine' | 'liveness' | 'observations' | 'endpoints'
>;

export interface OwnState {
  readonly setbacks: Setbacks;
  readonly failover: FailoverTimings | undefined;
}

export interface PassDecision {
  readonly snapshot: NodeSnapshot;
  readonly placing: Placing;
  readonly plan: AddressPlan;
  /** When there are more questions, though nobody answers those that were put. */
  readonly askAt: number;
}

export function decidePass(
  setup: AgentSetup,
  parts: AgentParts,
  seen: Seen,
  own: OwnState,
): PassDecision {
  const snapshot = observe(setup, parts, seen, own);
  const placing = placeAddresses(snapshot);
  const links = seen.machine.kernel.links ?? [];
  const asks = placing.decisions.flatMap((decision) => decision.asks ?? []);
  if (asks.length > 0) {
    parts.ear.ask(asks, links);
    // Neighbours answer within a fraction of a millisecond: of many that were asked most have answered by now, and what
    // follows from that need not wait for another pass.
    parts.ear.drain();
  }
  // The looks have begun: only now is it known until when to wait for answers.
  const placed = asks.length > 0 ? placeAddresses(snapshot) : placing;
  for (const mac of parts.memory.noteDecisions(placed.decisions, snapshot.now)) {
    setup.log.warn('Router answers for every address', { op: 'proxyArp', mac });
  }
  const inAdvance = parts.lookAhead.conflicts;
  parts.memory.noteReports({ ...snapshot, decisions: placed.decisions, inAdvance });
  parts.moves.note(placed.decisions);
  parts.forwarding.attend(placed.decisions);
  parts.self.note(placed.decisions);
  const isAsking = placed.decisions.some((each) => each.asks !== undefined);
  const again = setup.clock.monotonic() + askAgainMs;
  const inquireAt = parts.inquiries.ask(snapshot.wire, seen.cluster.members);
  const askAt = isAsking ? Math.min(again, inquireAt) : inquireAt;
  return { snapshot, placing: placed, plan: planFor(snapshot, placed, parts), askAt };
}

export function planFor(
  { held, self, now }: NodeSnapshot,
  placing: Placing,
  { virtualLink: { name: virtualLink } }: AgentParts,
): AddressPlan {
  return planAddresses({ ...placing, held, promise: self.promise, virtualLink, now });
}

/** Takes no part in load balancing any more. */
function isOut({ nodes }: Seen['cluster'], name: string): boolean {
  const node = nodes.find((each) => each.name === name);
  return node === undefined || node.isExcluded || node.isBeingRemoved;
}

function observe(
  { clock, node, apiServers, instance, bgp }: AgentSetup,
  parts: AgentParts,
  seen: Seen,
  own: OwnState,
): NodeSnapshot {
  const { ear, memory, hints, failover, inquiries, moves, self } = parts;
  const { membership, members, departure } = parts;
  const { cluster, machine } = seen;
  const addresses = machine.links?.links.flatMap((link) => link.addresses);
  if (addresses !== undefined) hints.attend({ own: addresses, members: cluster.members });
  const identities = identify(node, cluster, machine);
  ear.attend(attended(machine), parts.index, identities);
  ear.drain();
  const now = clock.monotonic();
  const { silent, absences, orphans, seen: sights, passedOver } = failover;
  const watched = { silent, absences, orphans, seen: sights, passedOver };
  const observed = { ...watched, answers: inquiries.answers, signers: hints.signers };
  return takeSnapshot({
    ...seen,
    node,
    apiServers,
    instance,
    wire: memory.view(ear, identities, observed, now),
    forwarding: parts.forwarding.view(),
    failing: findFailing(own.setbacks, now),
    moves: moves.view(cluster.loadBalancers, own.failover, now),
    isLeaving: departure.isUnderWay,
    areRoutesLeaving: bgp?.drain(isOut(cluster, node)) ?? false,
    self: self.view(membership, members.confirmedAt),
    now,
    wallNow: clock.now(),
  });
}
