/** What this node can say, should a member ask: which addresses it has on no link, and which it holds. */

import type { Ip } from '../../model/ip.ts';
import type { PlacementReason } from '../../model/placement-reasons.ts';
import type { AddressDecision } from '../announcement/address-decision.ts';

const beforeTaking: ReadonlySet<PlacementReason> = new Set(['askingTheWire', 'awaitingForwarding']);

export function findDeniable(
  decisions: readonly Pick<AddressDecision, 'ip' | 'outcome' | 'reason'>[],
  /** With our mark, on any link; undefined: not known. */
  held: Pick<ReadonlySet<Ip>, 'has'> | undefined,
): ReadonlySet<Ip> {
  if (held === undefined) return new Set();
  const deniable = decisions.filter(
    ({ ip, outcome, reason }) =>
      // Who is about to take it has not got it, and would be wrong in a moment.
      outcome.kind === 'absent' && !beforeTaking.has(reason) && !held.has(ip),
  );
  return new Set(deniable.map(({ ip }) => ip));
}

export interface Affirmable {
  /** Held, and meant to be. */
  readonly sure: ReadonlySet<Ip>;
  /** Held, while this node asks itself whether somebody else took it over. */
  readonly unsure: ReadonlySet<Ip>;
}

/** What is being given away is left out: the successor is to be heard. */
export function findAffirmable(
  decisions: readonly Pick<AddressDecision, 'ip' | 'outcome' | 'reason' | 'handover'>[],
  held: Pick<ReadonlySet<Ip>, 'has'>,
): Affirmable {
  const here = decisions.filter(({ ip, handover }) => held.has(ip) && handover?.role !== 'holder');
  const sure = here.filter(({ outcome }) => outcome.kind === 'local');
  const unsure = here.filter(({ reason }) => reason === 'verifying');
  const ipsOf = (some: typeof here) => new Set(some.map(({ ip }) => ip));
  return { sure: ipsOf(sure), unsure: ipsOf(unsure) };
}
