/**
 * The audit of kept decisions: the same facts, decided about again, must come to the same decisions. A difference means
 * that an agent kept a decision though something changed that the decision depends on.
 */

import { addressKey } from '../../model/address.ts';
import type { Ip } from '../../model/ip.ts';
import type { AddressDecision } from './address-decision.ts';

export interface StaleDecision {
  readonly ip: Ip;
  /** As kept and as decided now; undefined: no decision. */
  readonly kept: string | undefined;
  readonly now: string | undefined;
}

/** Replies and timers may let a decision be made a moment before it is due. */
const soonMs = 100;

/** A decision that is due again by itself, or that waits for replies, is not stale. */
export function findStale(
  kept: ReadonlyMap<Ip, AddressDecision>,
  decisions: readonly AddressDecision[],
  now: number,
): readonly StaleDecision[] {
  const current = new Map(decisions.map((decision) => [decision.ip, decision]));
  const ips = new Set([...kept.keys(), ...current.keys()]);
  return [...ips].flatMap((ip): StaleDecision[] => {
    const before = kept.get(ip);
    if (before !== undefined && isDue(before, now)) return [];
    const [was, is] = [describe(before), describe(current.get(ip))];
    return was === is ? [] : [{ ip, kept: was, now: is }];
  });
}

function isDue({ wakeAt, asks }: AddressDecision, now: number): boolean {
  return asks !== undefined || (wakeAt ?? Infinity) <= now + soonMs;
}

/**
 * What is carried out and told. Times of verification are not part of it. Of an address that is on this node, the
 * election is not part of it either: once the kernel has the address, this node is the incumbent.
 */
function describe(decision: AddressDecision | undefined): string | undefined {
  if (decision === undefined) return undefined;
  const { services, outcome, reason, election, handover } = decision;
  const where =
    'wanted' in outcome ? addressKey(outcome.wanted) : `winner ${election?.winner ?? 'none'}`;
  // That a move has ended is said until the next decision, and means nothing after.
  const role = handover === undefined || handover.role === 'settled' ? '' : handover.role;
  return [outcome.kind, reason, where, role, services.join()].join(' ');
}
