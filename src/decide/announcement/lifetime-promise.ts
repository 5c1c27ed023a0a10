/**
 * The promise in this node's Lease: for how long its kernel keeps each address if the agent dies. The other members take
 * over when that time ends, so the kernel must not keep an address for longer. The agent therefore promises first and
 * extends then. While it cannot promise, it extends in short steps: if it dies, an address has two owners for one step.
 */

import { type HeldAddress, isHeldByUs } from '../../model/address.ts';
import type { Ip } from '../../model/ip.ts';
import { type KernelLifetimes, lifetimeOf } from '../../model/kernel-lifetimes.ts';
import { isRefreshDue } from './address-lifetime.ts';

export interface LifetimePromise {
  /** When the Lease was last written, in ms on the monotonic clock. */
  readonly writtenAt: number;
  /** As the other members read them in the Lease. */
  readonly lifetimes: KernelLifetimes;
  /** The last attempt to write the Lease failed: the others may never learn of a longer lifetime. */
  readonly isFailing: boolean;
}

/** So much an agent extends at a time if the others cannot learn of it. */
export const unpromisedSeconds = 30;

/** Until when the others believe that the kernel keeps an address, in ms on the monotonic clock. */
export function promisedUntil(ip: Ip, { writtenAt, lifetimes }: LifetimePromise): number {
  return writtenAt + 1000 * (lifetimeOf(lifetimes, ip) ?? 0);
}

/**
 * For how long, in seconds from now on, the kernel may keep an address that it has. The kernel counts in whole seconds:
 * an address that ends a moment after the promise has two owners until then, one that ends before it has none.
 */
export function mayLast(ip: Ip, promise: LifetimePromise | undefined, now: number): number {
  if (promise === undefined) return Infinity;
  return Math.max(Math.ceil((promisedUntil(ip, promise) - now) / 1000), unpromisedSeconds);
}

/** The same of an address that is added now. Where the Lease can be written, the others are told a moment later. */
export function mayBegin(ip: Ip, promise: LifetimePromise | undefined, now: number): number {
  return promise?.isFailing === true ? mayLast(ip, promise, now) : Infinity;
}

export interface ExtensionFacts {
  readonly held: readonly HeldAddress[];
  /** Of each address, when it is set. */
  readonly validSeconds: number;
  readonly promise: LifetimePromise | undefined;
  readonly now: number;
}

/** Whether the agent would extend any lifetime now. All addresses are extended together when the first is due. */
export function isExtensionDue({ held, validSeconds, promise, now }: ExtensionFacts): boolean {
  if (validSeconds === Infinity) return false;
  return held.some((address) => {
    const mostSeconds = mayLast(address.ip, promise, now);
    const wanted = { ...address, validSeconds, noDad: true };
    return isHeldByUs(address) && isRefreshDue({ wanted, held: address, mostSeconds });
  });
}
