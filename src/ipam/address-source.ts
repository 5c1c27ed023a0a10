/**
 * The port to other people's IPAM. The allocator decides when to ask; a source carries it out and keeps its books by
 * slot, so that whoever asks again, after a crash or beside another, gets the same address. Nothing is thrown but the
 * signal's reason: every outcome is a value.
 */

import type { Family, Ip } from '../model/ip.ts';
import type { Prefix } from '../model/prefix.ts';
import type { SourceFailureReason } from '../model/reasons.ts';

export interface AddressSource {
  /** What the source has in this slot, without changing anything. */
  find(slot: Slot, signal: AbortSignal): Promise<FindOutcome>;
  /** The address of the slot: the one it has, unless another is wished for. */
  allocate(order: Order, signal: AbortSignal): Promise<AllocateOutcome>;
  /** An empty slot is no failure. Nothing that is not the owner's is ever touched. */
  release(slot: Returning, signal: AbortSignal): Promise<ReleaseOutcome>;
  stats(signal: AbortSignal): Promise<StatsOutcome>;
  /** Whether it would do what it is asked, and what a person should know; asks as little as possible. */
  check(signal: AbortSignal): Promise<CheckOutcome>;
  /** Every slot of this cluster and pool that is not empty; absent where a source cannot tell. */
  readonly list?: (signal: AbortSignal) => Promise<ListOutcome>;
  /** Each Service that shares an address is on its books by itself, and gives it back by itself. */
  readonly countsSharers?: boolean;
  /** When a write was last sent whose end was not known (monotonic); absent is never. */
  readonly unclearAt?: number | undefined;
  close(): void;
}

/** One address at most: the key by which asking twice is asking once. */
export interface Slot {
  readonly pool: string;
  /** The Service's UID, or what Services that share an address have in common. */
  readonly owner: string;
  readonly family: Family;
  /** `namespace/name`, for people. */
  readonly service: string;
  readonly sharingKey: string | undefined;
}

/** Without the address: the owner has no use for any of its slots, so that a source may empty them all. */
export interface Returning extends Slot {
  readonly address?: Ip;
}

export interface Order extends Slot {
  /** This address or none. */
  readonly wish: Ip | undefined;
  /** The wish is on record for this owner, who has no more use for it: its record becomes this slot's. */
  readonly formerOwner?: string;
}

export interface SourceFailure {
  readonly kind: 'failure';
  readonly reason: SourceFailureReason;
  /** What is wrong and what to do, in words that follow the source's name; the same while nothing changes. */
  readonly message: string;
}

/** `unknown`: it could only be found out by allocating. */
export type FindOutcome =
  | { readonly kind: 'found'; readonly address: Prefix }
  | { readonly kind: 'none' }
  | { readonly kind: 'unknown' }
  | SourceFailure;

/** The address with the length of the network that it is recorded in. */
export type AllocateOutcome =
  | { readonly kind: 'address'; readonly address: Prefix }
  | SourceFailure;

export type ReleaseOutcome = { readonly kind: 'released' } | SourceFailure;

export type CheckOutcome =
  | { readonly kind: 'ready'; readonly message: string; readonly warnings: readonly string[] }
  | SourceFailure;

export type StatsOutcome = SourceStats | SourceFailure;

export interface SourceStats {
  readonly kind: 'stats';
  readonly allocated: Readonly<Record<Family, bigint>>;
  /** Undefined: the source does not say. */
  readonly capacity: Readonly<Record<Family, bigint>> | undefined;
  readonly displayAddresses: readonly string[];
}

export type ListOutcome =
  | {
      readonly kind: 'records';
      readonly records: readonly SourceRecord[];
      /** What people did to records and should look at again, each as a sentence. */
      readonly remarks?: readonly string[];
    }
  | SourceFailure;

export interface SourceRecord {
  readonly owner: string;
  readonly family: Family;
  readonly address: Prefix;
  /** `namespace/name` as it was recorded, for people. */
  readonly service: string;
}

export function failure(reason: SourceFailureReason, message: string): SourceFailure {
  return { kind: 'failure', reason, message };
}

export function isFailure<T extends { readonly kind: string }>(
  outcome: T | SourceFailure,
): outcome is SourceFailure {
  return outcome.kind === 'failure';
}
