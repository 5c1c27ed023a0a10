/** What becomes of an address that this node holds and that belongs elsewhere: it is handed over, not let go. */

import type { HeldAddress } from '../../model/address.ts';
import type { LocalConfig } from '../../model/agent-config.ts';
import type { PlacementReason } from '../../model/placement-reasons.ts';
import { type AddressCase, absent, leave, type Verdict } from '../announcement/address-decision.ts';
import { type Election, elect } from '../announcement/elect.ts';
import type { NodeSnapshot } from '../announcement/node-snapshot.ts';
import { findPreference } from '../announcement/service-needs.ts';
import { findAsked, findMove } from './find-move.ts';
import { type HandingOver, type HandoverStep, handOver, type MoveWish } from './hand-over.ts';
import type { Handover } from './handover-view.ts';

/** Where the address would be removed for no fault of this node. */
const planned: ReadonlySet<PlacementReason> = new Set([
  'lostElection',
  'noConfig',
  'noLocalInterface',
]);

/** The verdict as it was, unless the address is here and belongs elsewhere. */
export function planHandover(
  address: AddressCase,
  snapshot: NodeSnapshot,
  verdict: Verdict,
): Verdict {
  const { kind } = verdict.outcome;
  const before = snapshot.handovers.memory.get(address.ip);
  const held = findHeld(address, snapshot);
  if (held === undefined || kind === 'remote' || verdict.handover !== undefined) return verdict;
  if (kind === 'leave') return remember(verdict, before);
  const handing = before?.role === 'holder' ? before : undefined;
  const election = verdict.election ?? electElsewhere(address, snapshot, held);
  const move = planned.has(verdict.reason) ? findMoveOf(election, snapshot) : undefined;
  if (move === 'plain' && !isOverlapping(handing)) return verdict;
  const wish = move === 'plain' ? undefined : move;
  return carryOut({ address, snapshot, verdict, election, held, wish, handing });
}

function remember(verdict: Verdict, before: Handover | undefined): Verdict {
  return before === undefined ? verdict : { ...verdict, handover: before };
}

function isOverlapping(handing: HandingOver | undefined): boolean {
  return handing?.phase.kind === 'overlap';
}

interface Task {
  readonly address: AddressCase;
  readonly snapshot: NodeSnapshot;
  readonly verdict: Verdict;
  readonly election: Election | undefined;
  readonly held: HeldAddress;
  readonly wish: MoveWish | undefined;
  readonly handing: HandingOver | undefined;
}

function carryOut(task: Task): Verdict {
  const { address, snapshot, verdict, election, held, wish, handing } = task;
  const placed = { election, held };
  const dampedUntil = handing === undefined ? findDamped(address, snapshot, wish) : undefined;
  if (dampedUntil !== undefined) {
    return { ...serveOn(snapshot, placed, 'damped'), wakeAt: dampedUntil };
  }
  const step = takeStep(address, snapshot, { held, wish, handing, election });
  return step.kind === 'stay' ? stay(step, snapshot, verdict) : follow(step, snapshot, placed);
}

function findMoveOf(
  election: Election | undefined,
  { node, handovers }: NodeSnapshot,
): ReturnType<typeof findMove> {
  return election && findMove(election, node, handovers.peers);
}

interface Placed {
  readonly election: Election | undefined;
  readonly held: HeldAddress;
}

type Staying = HandoverStep & { readonly kind: 'stay' };

function stay({ announces }: Staying, { now, handovers }: NodeSnapshot, verdict: Verdict): Verdict {
  if (verdict.outcome.kind !== 'local') return verdict;
  if (announces) return { ...verdict, handover: { role: 'settled', at: now } };
  const before = handovers.memory.get(verdict.outcome.wanted.ip);
  return before?.role === 'settled' ? { ...verdict, handover: before } : verdict;
}

function follow(
  step: Exclude<HandoverStep, Staying>,
  snapshot: NodeSnapshot,
  placed: Placed,
): Verdict {
  const election = placed.election && { election: placed.election };
  switch (step.kind) {
    case 'serve': {
      const { state, asks, wakeAt } = step;
      const reason = state.to === undefined ? 'noSuccessor' : 'handingOver';
      const further = { ...(asks.length > 0 && { asks }), wakeAt, handover: state };
      return { ...serveOn(snapshot, placed, reason), ...further };
    }
    case 'release':
      return { ...absent('handedOver'), ...election };
    case 'leave':
      return { ...leave('newerProcess'), ...election };
    default:
      return step satisfies never;
  }
}

function takeStep(
  { ip, slot }: AddressCase,
  snapshot: NodeSnapshot,
  facts: {
    readonly held: HeldAddress;
    readonly wish: MoveWish | undefined;
    readonly handing: HandingOver | undefined;
    readonly election: Election | undefined;
  },
): HandoverStep {
  const { handovers, wire, config, now } = snapshot;
  const timings = config?.failover ?? usualTimings;
  return handOver({
    ip,
    link: facts.held.link,
    wish: facts.wish,
    before: facts.handing,
    named: handovers.named.get(ip),
    isLeaseOurs: handovers.isLeaseOurs,
    taker: findTaker(slot?.node, snapshot, facts.election),
    announced: wire.announced.get(ip),
    look: wire.looks.get(ip),
    identities: wire.identities,
    overlapMs: timings.handoverOverlapMs,
    timeoutMs: timings.handoverTimeoutMs,
    now,
  });
}

/** One of which nothing is known that speaks against it. */
function findTaker(
  named: string | undefined,
  { handovers }: NodeSnapshot,
  election: Election | undefined,
): string | undefined {
  if (named === undefined || !handovers.peers.has(named)) return undefined;
  const candidate = election?.candidates.find(({ node }) => node === named);
  return candidate?.verdict === 'eligible' ? named : undefined;
}

/** Of a node that nothing configures any more. */
const usualTimings = { handoverOverlapMs: 500, handoverTimeoutMs: 3_000 };

function findHeld(
  { held }: AddressCase,
  { config }: Pick<NodeSnapshot, 'config'>,
): HeldAddress | undefined {
  return held.find(({ link, hasFailedDad }) => !hasFailedDad && link !== config?.dummyLink);
}

/** A node that ends has no while to wait. */
function findDamped(
  { ip }: AddressCase,
  { handovers, now }: NodeSnapshot,
  wish: MoveWish | undefined,
): number | undefined {
  if (wish === undefined || wish.cause === 'shutdown') return undefined;
  const until = handovers.damped.get(ip) ?? -Infinity;
  return until > now ? until : undefined;
}

/** As it is in the kernel, kept alive; without a configuration nobody knows for how long. */
function serveOn(
  { config }: NodeSnapshot,
  { held, election }: Placed,
  reason: PlacementReason,
): Verdict {
  const outcome = { ...(election && { election }), reason };
  if (config === undefined) return { ...leave(reason), ...outcome };
  return { outcome: { kind: 'local', wanted: asHeld(held, config) }, ...outcome };
}

function asHeld(held: HeldAddress, { localLifetime }: LocalConfig) {
  const { link, ip, prefixLength, preferredSeconds, noPrefixRoute } = held;
  return {
    link,
    ip,
    prefixLength,
    validSeconds: localLifetime.validSeconds,
    preferredSeconds: preferredSeconds === 0 ? 0 : localLifetime.preferredSeconds,
    noPrefixRoute,
    noDad: true,
  };
}

/** Where no link of this node may have it any more; undefined: who may is not known. */
function electElsewhere(
  address: AddressCase,
  snapshot: NodeSnapshot,
  { link }: HeldAddress,
): Election | undefined {
  const preference = findPreference(address, snapshot);
  if (preference === undefined) return undefined;
  const { electorate, node, wire } = snapshot;
  const silent = new Set([
    ...(wire.silent.get(link) ?? []),
    ...(wire.orphans.get(address.ip) ?? []),
  ]);
  return elect(electorate, {
    ip: address.ip,
    placement: 'Sticky',
    incumbent: { node, evidence: 'kernel' },
    asked: findAsked(address),
    silent,
    ...preference,
  });
}
