import { isAbort } from '../runtime/abort.ts';
import { type Clock, sleep } from '../runtime/clock.ts';
import { Bell } from './bell.ts';
import type { Cluster } from './cluster.ts';
import { ElectionPace } from './election-pace.ts';
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
  /** After which a leader that fell silent is replaced, while the API server answers as usual. */
  readonly durationMs: number;
  readonly observe?: (observation: ElectorObservation) => void;
}

export type ElectorObservation =
  | { readonly kind: 'elected' }
  | { readonly kind: 'lost'; readonly reason: unknown }
  | { readonly kind: 'released' }
  | { readonly kind: 'failed'; readonly error: unknown };

/** The reason of a leadership that ended because another candidate leads, or nobody knows who does. */
export class LeadershipLostError extends Error {
  override readonly name = 'LeadershipLostError';
}

/** A leader that could not renew for so long stands by again, even if nobody else leads. */
const lostAfterMs = 15_000;

/**
 * At most one of several candidates leads. Every write carries the version it is based on, so of two that try only
 * one succeeds, and one that was paused finds its Lease changed. A leader that cannot renew stops acting before others
 * would take over (`isLeading`). If the next renewal succeeds against the version that it wrote last, nobody else has
 * led in between, and it goes on; otherwise its leadership is over. Standbys watch the Lease: when it is released they
 * try at once.
 */
export class Elector {
  readonly #options: ElectorOptions;
  readonly #pace: ElectionPace;
  readonly #lease: OwnLease;
  readonly #observed = new ObservedLease();
  readonly #observe: (observation: ElectorObservation) => void;
  /** When the last renewal that succeeded was sent. */
  #renewedAt = Number.NEGATIVE_INFINITY;
  /** Before this time nobody else leads. */
  #leadsUntil = Number.NEGATIVE_INFINITY;
  #leadership: AbortSignal | undefined;
  /** A write was sent of which no good end is known. */
  #isTrying = false;

  constructor(options: ElectorOptions) {
    const { cluster, clock, ref, observe = () => {} } = options;
    this.#options = options;
    this.#pace = new ElectionPace(options.durationMs);
    this.#observe = observe;
    this.#lease = new OwnLease({
      cluster,
      clock,
      ref,
      withinMs: () => this.#pace.timing.callMs,
      mayReplace: (found) => {
        this.#note(found);
        return this.#leadership === undefined ? this.#isOpen() : this.#isOurs;
      },
    });
  }

  /** By the clock, not by a timer: right also at the first moment after the process was paused. */
  get isLeading(): boolean {
    return this.actsForMs > 0;
  }

  /** For how long at least nobody else leads; 0 for one that does not lead. */
  get actsForMs(): number {
    if (this.#leadership?.aborted !== false) return 0;
    return Math.max(0, this.#leadsUntil - this.#now());
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
      this.#pace.noteFailure();
      this.#observe({ kind: 'failed', error });
      return false;
    }
  }

  /** A little apart, so that several standbys do not all try in the same moment. */
  #untilNextTry(): number {
    const { retryEveryMs } = this.#pace.timing;
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
      this.#leadership = undefined;
    }
    return isLost() ? 'lost' : 'done';
  }

  /** Until the leadership is over, which it ends itself when somebody else leads or nothing is known for long. */
  async #keepRenewing(scope: RequestScope): Promise<void> {
    const { clock } = this.#options;
    let dueAt = this.#renewedAt + this.#pace.timing.renewEveryMs;
    while (!scope.signal.aborted) {
      await sleep(clock, Math.max(0, dueAt - this.#now()), scope.signal).catch(() => {});
      if (scope.signal.aborted) break;
      try {
        await this.#renew(scope.signal);
        this.#pace.noteRenewal(this.#now() - dueAt);
        dueAt = this.#renewedAt + this.#pace.timing.renewEveryMs;
      } catch (error) {
        this.#noteFailedRenewal(error, scope);
        dueAt = this.#now() + this.#pace.timing.retryEveryMs;
      }
    }
  }

  #noteFailedRenewal(error: unknown, scope: RequestScope): void {
    if (scope.signal.aborted) return;
    if (error instanceof LeaseTakenError) {
      scope.abort(new LeadershipLostError(error.message, { cause: error }));
      return;
    }
    this.#pace.noteFailure();
    this.#observe({ kind: 'failed', error });
    if (this.#now() - this.#renewedAt < lostAfterMs) return;
    scope.abort(new LeadershipLostError('the lease could not be renewed in time'));
  }

  async #renew(signal: AbortSignal): Promise<void> {
    const sentAt = this.#now();
    const { durationMs, deadlineMs } = this.#pace.timing;
    const { acquireTime, leaseTransitions = 0 } = this.#lease.known?.spec ?? {};
    const isOurs = this.#isOurs;
    const spec = {
      holderIdentity: this.#options.identity,
      leaseDurationSeconds: Math.ceil(durationMs / 1000),
      acquireTime: (isOurs ? acquireTime : undefined) ?? microTime(this.#options.clock.now()),
      leaseTransitions: isOurs ? leaseTransitions : leaseTransitions + 1,
    };
    this.#isTrying = true;
    // Others may see a shorter duration before we have our answer.
    this.#leadsUntil = Math.min(this.#leadsUntil, sentAt + deadlineMs);
    this.#note(await this.#lease.write({ spec }, signal));
    this.#isTrying = false;
    this.#renewedAt = sentAt;
    this.#leadsUntil = sentAt + deadlineMs;
  }

  /** We were stopped while trying: the last attempt may have succeeded without our hearing of it. */
  async #releaseIfHeld(): Promise<void> {
    if (!this.#isTrying) return;
    try {
      this.#note(await this.#lease.read());
      if (this.#isOurs) await this.#release();
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

  get #isOurs(): boolean {
    return this.#observed.holder === this.#options.identity;
  }

  /** Nobody else holds it, as far as we know. */
  #isOpen(): boolean {
    return this.#isOurs || this.#observed.expiresAt() <= this.#now();
  }

  #now(): number {
    return this.#options.clock.monotonic();
  }
}
