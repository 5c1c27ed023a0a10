/** Addresses that this node can say not to hold, should a member ask: it knows of them, and has them on no link. */

import type { Ip } from '../../model/ip.ts';
import type { AddressDecision } from '../announcement/address-decision.ts';

export function findDeniable(
  decisions: readonly Pick<AddressDecision, 'ip' | 'outcome' | 'reason'>[],
  /** With our mark, on any link; undefined: not known. */
  held: ReadonlySet<Ip> | undefined,
): ReadonlySet<Ip> {
  if (held === undefined) return new Set();
  const deniable = decisions.filter(
    ({ ip, outcome, reason }) =>
      // Who is about to take it has not got it, and would be wrong in a moment.
      outcome.kind === 'absent' && reason !== 'askingTheWire' && !held.has(ip),
  );
  return new Set(deniable.map(({ ip }) => ip));
}
