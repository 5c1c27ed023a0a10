/** What one agent does with one address, and why. */

import type { HeldAddress, WantedAddress } from '../../model/address.ts';
import type { Slot } from '../../model/announcing.ts';
import type { Opening } from '../../model/guard.ts';
import type { Ip } from '../../model/ip.ts';
import type { LoadBalancer } from '../../model/load-balancer.ts';
import type { Mac } from '../../model/mac.ts';
import type { PlacementReason } from '../../model/placement-reasons.ts';
import type { AnnounceMode } from '../../model/pool.ts';
import type { Handover } from '../failover/handover-view.ts';
import type { AnnounceTerms } from './announce-terms.ts';
import type { Election } from './elect.ts';
import type { Ask, WireFinding } from './look-before-add.ts';

/** An address of ours, and what is known of it here. */
export interface AddressCase {
  readonly ip: Ip;
  /** Those that have it, by name; several share it. */
  readonly services: readonly [LoadBalancer, ...LoadBalancer[]];
  readonly terms: AnnounceTerms;
  /** With our mark, on any link of this node. */
  readonly held: readonly HeldAddress[];
  /** Who announces it, as the annotation says. */
  readonly slot: Slot | undefined;
}

export interface AddressDecision {
  readonly ip: Ip;
  /** `namespace/name` of those that have it. */
  readonly services: readonly string[];
  readonly mode: AnnounceMode | undefined;
  readonly outcome: AddressOutcome;
  readonly reason: PlacementReason;
  /** Of addresses that belong on one node only. */
  readonly election?: Election;
  /** To be sent now; then plan again. */
  readonly asks?: readonly Ask[];
  /** When to decide anew though nothing else changes. */
  readonly wakeAt?: number;
  readonly findings?: readonly PlacementFinding[];
  /** Of an address that is on its way from one node to another, or was. */
  readonly handover?: Handover;
  /** When the wire was asked, and nobody else had it; in ms on the monotonic clock. */
  readonly verifiedAt?: number;
  /** Given up to another member that holds it too. */
  readonly yields?: true;
  /** Another member that holds it too is to hear that this one does. */
  readonly defends?: true;
  /** Ports that this node is to forward before it takes the address: whether it does is asked while this is here. */
  readonly forwards?: readonly Opening[];
  /** Who has it outside the cluster, where that was found just now. */
  readonly conflict?: { readonly mac: Mac | undefined; readonly link: string };
}

/** Decisions about some addresses, and what was decided about the same addresses before. */
export interface ChangedDecisions {
  readonly decisions: readonly AddressDecision[];
  readonly former: readonly AddressDecision[];
}

export type AddressOutcome =
  | { readonly kind: 'local' | 'remote'; readonly wanted: WantedAddress }
  /** Not on this node. */
  | { readonly kind: 'absent' }
  /** As it is: something is not known. */
  | { readonly kind: 'leave' };

export type PlacementFinding =
  | WireFinding
  /** The prefix would have captured something; it stands as a single address. */
  | { readonly kind: 'aggregationUnsafe'; readonly prefix: string; readonly what: string };

/** A decision without what is the same for every one about an address. */
export type Verdict = Omit<AddressDecision, 'ip' | 'services' | 'mode'>;

export function absent(reason: PlacementReason): Verdict {
  return { outcome: { kind: 'absent' }, reason };
}

export function leave(reason: PlacementReason): Verdict {
  return { outcome: { kind: 'leave' }, reason };
}
