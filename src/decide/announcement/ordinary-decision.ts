/**
 * The everyday job: an address that is new, held, someone else's or remote, with nothing wrong. Such a decision depends
 * on its own Services and on facts that are the same for all addresses, and on nothing that was decided about others.
 */

import type { PlacementReason } from '../../model/placement-reasons.ts';
import type { AddressDecision } from './address-decision.ts';
import type { Election } from './elect.ts';

const everyday: ReadonlySet<PlacementReason> = new Set([
  'electionWon',
  'lostElection',
  'announcingNonLocal',
  'noLocalInterface',
  'askingTheWire',
  'awaitingForwarding',
]);

export function isOrdinary(decision: AddressDecision): boolean {
  const { reason, outcome, election, handover, findings, conflict, yields, defends } = decision;
  if (!everyday.has(reason) || outcome.kind === 'leave') return false;
  const isAlone = handover === undefined && yields === undefined && defends === undefined;
  const isClean = findings === undefined && conflict === undefined;
  return isAlone && isClean && (election === undefined || isUndisputed(election));
}

/** Elected by the usual rule, while every member that could own the address can be reached. */
function isUndisputed({ because, candidates, ending, winner }: Election): boolean {
  if (ending !== undefined || winner === undefined) return false;
  if (because !== 'incumbent' && because !== 'hash') return false;
  return !candidates.some(({ verdict }) => verdict === 'silent' || verdict === 'passedOver');
}
