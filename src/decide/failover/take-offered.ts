/** A successor that was named takes an address while its holder still answers for it: that is what it was named for. */

import type { Ip } from '../../model/ip.ts';
import { type Identities, macsOf } from '../announcement/identities.ts';
import type { Ask, Clearance, WireFinding } from '../announcement/look-before-add.ts';
import type { Look } from '../announcement/who-holds.ts';
import type { Handover, TakingOver } from './handover-view.ts';

export interface OfferFacts {
  readonly ip: Ip;
  readonly link: string;
  /** The member that hands it to this node now. */
  readonly offeredBy: string | undefined;
  readonly before: Handover | undefined;
  readonly isHeld: boolean;
  /** This node may hold it. */
  readonly isEligible: boolean;
  /** The slot names this node. */
  readonly isSlotOurs: boolean;
  /** What the wire says of an address that this member hands over. */
  readonly clearance: (handedBy: string) => Clearance;
  readonly look: Look | undefined;
  readonly identities: Identities;
  readonly timeoutMs: number;
  readonly now: number;
}

export type OfferStep =
  /** As if nothing had been offered. */
  | { readonly kind: 'none' }
  /** Not here yet. */
  | { readonly kind: 'ask'; readonly asks: readonly Ask[]; readonly wakeAt: number }
  | {
      readonly kind: 'hold';
      readonly state: Handover;
      readonly asks: readonly Ask[];
      readonly wakeAt: number;
      readonly findings?: readonly WireFinding[];
    }
  /** Its holder kept it after all. */
  | { readonly kind: 'yield' };

const askAgainMs = 50;
/** Frames may be lost, one after the other hardly. */
const silenceMs = 100;

export function takeOffered(facts: OfferFacts): OfferStep {
  const { offeredBy, before, isHeld, isEligible } = facts;
  const taking = before?.role === 'successor' ? before : undefined;
  if (!isHeld) {
    return offeredBy === undefined || !isEligible ? { kind: 'none' } : begin(facts, offeredBy);
  }
  if (taking === undefined) return { kind: 'none' };
  return isAwaited(facts, taking) ? hold(taking, awaitedUntil(facts, taking)) : end(facts, taking);
}

/**
 * Only who hands it over may answer for it: what the Lease of a holder that was cut off says may be long untrue. Where
 * it is silent, the usual rules of taking over hold.
 */
function begin({ clearance, now }: OfferFacts, from: string): OfferStep {
  const clear = clearance(from);
  switch (clear.kind) {
    case 'handed':
      return {
        ...hold({ role: 'successor', from, since: now }, Infinity),
        ...(clear.findings.length > 0 && { findings: clear.findings }),
      };
    case 'ask':
      return { kind: 'ask', asks: clear.asks, wakeAt: Infinity };
    case 'wait':
      return { kind: 'ask', asks: [], wakeAt: clear.until };
    case 'add':
    case 'conflict':
    case 'heldByMember':
      return { kind: 'none' };
    default:
      return clear satisfies never;
  }
}

/** A holder that cannot see that it was taken keeps it; so two would hold it for as long as that lasts. */
function isAwaited(
  { offeredBy, isSlotOurs, now, ...rest }: OfferFacts,
  taking: TakingOver,
): boolean {
  if (offeredBy !== taking.from) return false;
  return isSlotOurs || now < taking.since + rest.timeoutMs;
}

function awaitedUntil({ isSlotOurs, timeoutMs }: OfferFacts, { since }: TakingOver): number {
  return isSlotOurs ? Infinity : since + timeoutMs;
}

/** The offer is over: the holder let go, or changed its mind. Where the slot does not say which, the wire does. */
function end(facts: OfferFacts, taking: TakingOver): OfferStep {
  const { link, look, identities, isSlotOurs, now } = facts;
  if (isSlotOurs) return settled(now);
  const { from, endedAt = now } = taking;
  const isNew = look !== undefined && (look.sentAt[0] ?? -Infinity) >= endedAt && !look.isDeaf;
  const state = { ...taking, endedAt };
  if (!isNew || look.link !== link) return askFormer(facts, state, true);
  if (look.answers.some(({ mac }) => identities.get(mac) === from)) return { kind: 'yield' };
  const [firstAt = now] = look.sentAt;
  if (now >= firstAt + silenceMs && look.sentAt.length > 1) return settled(now);
  const dueAt = (look.sentAt.at(-1) ?? firstAt) + askAgainMs;
  return now >= dueAt ? askFormer(facts, state, false) : hold(state, dueAt);
}

function askFormer(
  { ip, link, identities, now }: OfferFacts,
  state: TakingOver,
  isFirst: boolean,
): OfferStep {
  const ask: Ask = { ip, link, isFirst, to: macsOf(identities, state.from), isPrivate: true };
  return { ...hold(state, now + askAgainMs), asks: [ask] };
}

function settled(now: number): OfferStep & { readonly kind: 'hold' } {
  return hold({ role: 'settled', at: now }, Infinity);
}

function hold(state: Handover, wakeAt: number): OfferStep & { readonly kind: 'hold' } {
  return { kind: 'hold', state, asks: [], wakeAt };
}
