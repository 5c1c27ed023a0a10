import { takeOverShare } from './election-pace.ts';
import type { LeaseObject } from './lease-object.ts';

/**
 * A Lease as seen from here. Whether it has expired is judged by our own monotonic clock, from when we last saw the
 * record change: the times in it come from another machine's clock, which may be wrong by any amount.
 */
export class ObservedLease {
  #lease: LeaseObject | undefined;
  #record = '';
  #changedAt = Number.NEGATIVE_INFINITY;

  get lease(): LeaseObject | undefined {
    return this.#lease;
  }

  /** Undefined: nobody. */
  get holder(): string | undefined {
    const holder = this.#lease?.spec?.holderIdentity;
    return holder === '' ? undefined : holder;
  }

  /**
   * Only a change of the record is a sign of life; labels and annotations are anybody's. A Lease that somebody deleted
   * is not released: its holder acts until it would have expired, and makes it anew.
   */
  note(lease: LeaseObject | undefined, monotonicMs: number): void {
    if (lease === undefined) return;
    const record = JSON.stringify(lease.spec ?? {});
    if (record !== this.#record || this.#lease === undefined) this.#changedAt = monotonicMs;
    this.#record = record;
    this.#lease = lease;
  }

  /** When it may be taken by somebody else than its holder; at once if it has none. */
  expiresAt(): number {
    if (this.holder === undefined) return Number.NEGATIVE_INFINITY;
    return this.#changedAt + (this.#lease?.spec?.leaseDurationSeconds ?? 0) * 1000 * takeOverShare;
  }
}
