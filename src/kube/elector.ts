import { isAbort } from '../runtime/abort.ts';
import { type Clock, sleep } from '../runtime/clock.ts';
import { Bell } from './bell.ts';
import type { Cluster } from './cluster.ts';
import type { LeaseObject } from './lease-object.ts';
import { microTime } from './micro-time.ts';
import { ObservedLease } from './observed-lease.ts';
import { LeaseTakenError, OwnLease } from './own-lease.ts';
import { Reflector } from './reflector.ts';
import { RequestScope } from './request-scope.ts';
import type { ObjectRef } from './resource.ts';
import { leases } from './resources.ts';
import { Store } from './store.ts';

export interface ElectorOptions {
  readonly cluster: Cluster;
  readonly clock: Clock;
  /** 0 ≤ x < 1. */
  readonly random: () => number;
  readonly ref: ObjectRef;
  /** Different for every candidate. */
  readonly identity: string;
  readonly timing?: Partial<ElectorTiming>;
  readonly observe?: (observation: ElectorObservation) => void;
}

export interface ElectorTiming {
  /** How long others wait after the last renewal that they saw. */
  readonly durationMs: number;
  /** How long we lead on after sending the last renewal that succeeded; well below the duration. */
  readonly deadlineMs: number;
  readonly renewEveryMs: number;
  /** After an attempt that failed. */
  readonly retryEveryMs: number;
  /** For one call: two must fit into the deadline. */
  readonly callMs: number;
}

const usualTiming: ElectorTiming = {
  durationMs: 15_000,
  deadlineMs: 12_000,
  renewEveryMs: 3_000,
  retryEveryMs: 1_000,
  callMs: 6_000,
};

export type ElectorObservation =
  | { readonly kind: 'elected' }
  | { readonly kind: 'lost'; readonly reason: unknown }
  | { readonly kind: 'released' }
  | { readonly kind: 'failed'; readonly error: unknown };

/** The reason of a leadership that ended because it could not be renewed in time. */
export class LeadershipLostError extends Error {
  override readonly name = 'LeadershipLostError';
}

/**
 * At most one of several candidates leads. Every write carries the version it is based on, so of two that try only
 * one succeeds, and one that was paused finds its Lease changed. A leader that cannot renew stops before others
 * would take over. Standbys watch the Lease: when it is released they try at once.
 */
export class Elector {
  readonly #options: ElectorOptions;
  readonly #timing: ElectorTiming;
  readonly #lease: OwnLease;
  readonly #observed = new ObservedLease();
  readonly #observe: (observation: ElectorObservation) => void;
  /** When the last renewal that succeeded was sent. */
  #renewedAt = Number.NEGATIVE_INFINITY;
  #leadership: AbortSignal | undefined;
  /** A write was sent of which no good end is known. */
  #isTrying = false;

  constructor(options: ElectorOptions) {
    const { cluster, clock, ref, observe = () => {} } = options;
    this.#options = options;
    this.#timing = { ...usualTiming, ...options.timing };
    this.#observe = observe;
    this.#lease = new OwnLease({
      cluster,
      clock,
      ref,
      withinMs: this.#timing.callMs,
      mayReplace: (found) => {
        this.#note(found);
        return this.#isOpen();
      },
    });
  }

  /** By the clock, not by a timer: right also at the first moment after the process was paused. */
  get isLeading(): boolean {
    const isCurrent = this.#now() < this.#renewedAt + this.#timing.deadlineMs;
    return this.#leadership !== undefined && !this.#leadership.aborted && isCurrent;
  }

  /** Who holds the Lease, as far as we know. */
  get holder(): string | undefined {
    return this.#observed.holder;
  }

  /**
   * Stands by, leads, stands by again, until the signal is aborted or `lead` returns. The signal that `lead` gets is
   * aborted when the leadership ends; the Lease is released only after `lead` has ended.
   */
  async run(signal: AbortSignal, lead: (leadership: AbortSignal) => Promise<void>): Promise<void> {
    while (!signal.aborted) {
      await this.#standBy(signal);
      if (signal.aborted) await this.#releaseIfHeld();
      else if ((await this.#lead(signal, lead)) === 'done') return;
    }
  }

  /** Returns with the Lease taken, or with the signal aborted. */
  async #standBy(signal: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    const scope = new RequestScope(signal);
    const bell = new Bell();
    const watching = this.#watchLease(scope.signal, bell);
    try {
      while (!scope.signal.aborted && !(await this.#tryToTake(scope.signal))) {
        await bell.wait(clock, this.#untilNextTry(), scope.signal);
      }
    } finally {
      scope.close();
      scope.abort(undefined);
      await watching;
    }
  }

  #watchLease(signal: AbortSignal, bell: Bell): Promise<void> {
    const { cluster, clock, random, ref } = this.#options;
    const store = new Store<LeaseObject>();
    store.subscribe((_, __, lease) => {
      this.#note(lease);
      bell.ring();
    });
    const selection = { namespace: ref.namespace, fieldSelector: `metadata.name=${ref.name}` };
    return new Reflector({ cluster, resource: leases, store, clock, random, selection }).run(
      signal,
    );
  }

  async #tryToTake(signal: AbortSignal): Promise<boolean> {
    try {
      if (this.#observed.lease === undefined) this.#note(await this.#lease.read(signal));
      if (!this.#isOpen()) return false;
      await this.#renew(signal);
      return true;
    } catch (error) {
      if (error instanceof LeaseTakenError || signal.aborted) return false;
      this.#observe({ kind: 'failed', error });
      return false;
    }
  }

  /** A little apart, so that several standbys do not all try in the same moment. */
  #untilNextTry(): number {
    const { retryEveryMs } = this.#timing;
    const spread = 1 + this.#options.random() / 5;
    return Math.max(this.#observed.expiresAt() - this.#now(), retryEveryMs * spread);
  }

  async #lead(
    signal: AbortSignal,
    lead: (leadership: AbortSignal) => Promise<void>,
  ): Promise<'done' | 'lost'> {
    const scope = new RequestScope(signal);
    this.#leadership = scope.signal;
    this.#observe({ kind: 'elected' });
    const renewing = this.#keepRenewing(scope);
    const isLost = () => scope.signal.reason instanceof LeadershipLostError;
    try {
      await lead(scope.signal);
    } catch (error) {
      if (!isAbort(error, scope.signal)) throw error;
    } finally {
      scope.close();
      scope.abort(undefined);
      await renewing;
      if (isLost()) this.#observe({ kind: 'lost', reason: scope.signal.reason });
      else await this.#release();
    }
    return isLost() ? 'lost' : 'done';
  }

  /** Until the leadership is over, which it ends itself when it cannot renew any more. */
  async #keepRenewing(scope: RequestScope): Promise<void> {
    const { clock } = this.#options;
    const { renewEveryMs, retryEveryMs } = this.#timing;
    let cancel = this.#armDeadline(scope);
    let nextAt = this.#renewedAt + renewEveryMs;
    while (!scope.signal.aborted) {
      await sleep(clock, Math.max(0, nextAt - this.#now()), scope.signal).catch(() => {});
      if (scope.signal.aborted) break;
      try {
        await this.#renew(scope.signal);
        cancel();
        cancel = this.#armDeadline(scope);
        nextAt = this.#renewedAt + renewEveryMs;
      } catch (error) {
        this.#noteFailedRenewal(error, scope);
        nextAt = this.#now() + retryEveryMs;
      }
    }
    cancel();
  }

  #armDeadline(scope: RequestScope): () => void {
    const left = this.#renewedAt + this.#timing.deadlineMs - this.#now();
    return this.#options.clock.after(left, () => {
      scope.abort(new LeadershipLostError('the lease could not be renewed in time'));
    });
  }

  #noteFailedRenewal(error: unknown, scope: RequestScope): void {
    if (scope.signal.aborted) return;
    if (error instanceof LeaseTakenError) {
      scope.abort(new LeadershipLostError(error.message, { cause: error }));
    } else this.#observe({ kind: 'failed', error });
  }

  async #renew(signal: AbortSignal): Promise<void> {
    const { identity } = this.#options;
    const sentAt = this.#now();
    const { acquireTime, leaseTransitions = 0 } = this.#lease.known?.spec ?? {};
    const isOurs = this.#observed.holder === identity;
    const spec = {
      holderIdentity: identity,
      leaseDurationSeconds: Math.ceil(this.#timing.durationMs / 1000),
      acquireTime: (isOurs ? acquireTime : undefined) ?? microTime(this.#options.clock.now()),
      leaseTransitions: isOurs ? leaseTransitions : leaseTransitions + 1,
    };
    this.#isTrying = true;
    this.#note(await this.#lease.write({ spec }, signal));
    this.#isTrying = false;
    this.#renewedAt = sentAt;
  }

  /** We were stopped while trying: the last attempt may have succeeded without our hearing of it. */
  async #releaseIfHeld(): Promise<void> {
    if (!this.#isTrying) return;
    try {
      this.#note(await this.#lease.read());
      if (this.#observed.holder === this.#options.identity) await this.#release();
    } catch (error) {
      this.#observe({ kind: 'failed', error });
    }
  }

  /** The next leader need not wait. If it cannot be done, it will when the duration is over. */
  async #release(): Promise<void> {
    const { leaseTransitions = 0 } = this.#lease.known?.spec ?? {};
    const spec = { holderIdentity: '', leaseDurationSeconds: 1, leaseTransitions };
    try {
      this.#note(await this.#lease.write({ spec }));
      this.#observe({ kind: 'released' });
    } catch (error) {
      this.#observe({ kind: 'failed', error });
    }
  }

  #note(lease: LeaseObject | undefined): void {
    this.#observed.note(lease, this.#now());
    this.#lease.note(lease);
  }

  /** Nobody else holds it, as far as we know. */
  #isOpen(): boolean {
    const { holder } = this.#observed;
    return holder === this.#options.identity || this.#observed.expiresAt() <= this.#now();
  }

  #now(): number {
    return this.#options.clock.monotonic();
  }
}
