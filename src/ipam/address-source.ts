/**
 * The port to other people's IPAM. The allocator decides when to ask; a source carries it out and keeps its own books
 * by the owner's name, so that whoever asks again after a crash gets the same addresses.
 */

import type { Family, Ip } from '../model/ip.ts';
import type { Prefix } from '../model/prefix.ts';

export interface AddressSource {
  /** What the source has for this owner already: asked before anything new is taken. */
  find(owner: SourceOwner, signal: AbortSignal): Promise<SourceOutcome>;
  /** The same again for an owner that has them already. */
  allocate(wish: SourceWish, signal: AbortSignal): Promise<SourceOutcome>;
  /** Addresses that the owner does not have are no failure. */
  release(
    owner: SourceOwner,
    addresses: readonly Ip[],
    signal: AbortSignal,
  ): Promise<ReleaseOutcome>;
  stats(pool: string, signal: AbortSignal): Promise<SourceStats | SourceFailure>;
  /** As last seen, without asking. */
  readonly health: SourceHealth;
}

/** Who an address is for; what people find in the IPAM. */
export interface SourceOwner {
  readonly pool: string;
  /** `namespace/name`. */
  readonly service: string;
  readonly uid: string;
}

export interface SourceWish extends SourceOwner {
  readonly families: readonly Family[];
  /** Asked for by name; empty is any. */
  readonly addresses: readonly Ip[];
  readonly sharingKey: string | undefined;
}

export type SourceOutcome =
  | { readonly kind: 'addresses'; readonly addresses: readonly Prefix[] }
  | SourceFailure;

export type ReleaseOutcome = { readonly kind: 'released' } | SourceFailure;

export type SourceFailure =
  /** Final until something changes there or here. */
  | { readonly kind: 'refused'; readonly message: string }
  /** Worth another try; nothing is known about what it holds. */
  | { readonly kind: 'unavailable'; readonly message: string };

export interface SourceStats {
  readonly kind: 'stats';
  readonly allocated: Readonly<Record<Family, number>>;
  /** Undefined: the source does not say. */
  readonly capacity: Readonly<Record<Family, number | undefined>>;
  readonly displayAddresses: readonly string[];
}

export interface SourceHealth {
  readonly isReachable: boolean;
  /** Why not, in words for a person. */
  readonly message: string | undefined;
}
