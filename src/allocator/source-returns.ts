/** Gives back to sources what Services no longer have any use for, until they have taken it. */

import type { LeavingSlot } from '../decide/allocation/slot-use.ts';
import { familiesAtSource, returnKey } from '../decide/allocation/source-returns.ts';
import { failure, isFailure, type SourceFailure } from '../ipam/address-source.ts';
import type { LoadBalancer } from '../model/load-balancer.ts';
import { type Backoff, backoffDelay } from '../runtime/backoff.ts';
import type { Clock } from '../runtime/clock.ts';
import { slotFor } from './source-asks.ts';
import type { SourceLine } from './source-line.ts';

export interface SourceReturnsOptions {
  readonly clock: Clock;
  readonly random: () => number;
  /** Who has, or is about to be given, what is in the slot. */
  readonly findUse: (slot: LeavingSlot, line: SourceLine) => 'own' | 'others' | undefined;
  readonly onNews: () => void;
  /** It does not take it, for the first time; `isGivenUp`: the Service waits no longer. */
  readonly onFailure: (service: LoadBalancer, message: string, isGivenUp: boolean) => void;
}

interface Return {
  readonly uid: string;
  isRunning: boolean;
  failures: number;
  /** Monotonic. */
  readonly since: number;
  retryAt: number;
}

const retries: Backoff = { firstMs: 1_000, factor: 2, longestMs: 60_000, jitter: 0.3 };
/** A source that can be looked through is looked through later: nobody has to wait for it any longer. */
const patienceMs = 60_000;

export class SourceReturns {
  readonly #options: SourceReturnsOptions;
  readonly #open = new Map<string, Return>();
  readonly #returned = new Map<string, string>();

  constructor(options: SourceReturnsOptions) {
    this.#options = options;
  }

  /** As `returnKey` names them. */
  get returned(): ReadonlySet<string> {
    return new Set(this.#returned.keys());
  }

  clear(): void {
    this.#open.clear();
    this.#returned.clear();
  }

  /** The Service with this UID is gone. */
  forget(uid: string): void {
    for (const [key, known] of this.#open) if (known.uid === uid) this.#open.delete(key);
    for (const [key, owner] of this.#returned) if (owner === uid) this.#returned.delete(key);
  }

  /** The source is asked for more: what it took back once says nothing any more. */
  reopen(uid: string, pool: string): void {
    this.#returned.delete(returnKey(uid, pool));
  }

  /** Monotonic time at which something is to be tried again. */
  nextTryAt(): number {
    const waiting = [...this.#open.values()].filter(({ isRunning }) => !isRunning);
    return waiting.reduce((first, { retryAt }) => Math.min(first, retryAt), Infinity);
  }

  /** The Service waits for this pool to take back all that it has from it. */
  want(service: LoadBalancer, line: SourceLine): void {
    const key = returnKey(service.identity.uid, line.pool.name);
    if (this.#returned.has(key)) return;
    const now = this.#options.clock.monotonic();
    const { uid } = service.identity;
    const known = this.#open.get(key) ?? {
      uid,
      isRunning: false,
      failures: 0,
      since: now,
      retryAt: now,
    };
    this.#open.set(key, known);
    if (!known.isRunning && now >= known.retryAt) void this.#carryOut(key, known, service, line);
  }

  async #carryOut(
    key: string,
    known: Return,
    service: LoadBalancer,
    line: SourceLine,
  ): Promise<void> {
    known.isRunning = true;
    const outcomes = await Promise.all(
      familiesAtSource(service).map((family) => {
        const slot = slotFor(service, line.pool, family);
        const leaving = { ...slot, pool: line.pool, leaving: service.identity.uid };
        return line.run(slot.owner, 'release', async (source, signal) => {
          const use = this.#options.findUse(leaving, line);
          if (use === 'own') return usedAgain;
          return use === 'others' ? released : source.release(slot, signal);
        });
      }),
    );
    known.isRunning = false;
    const failed = outcomes.find(isFailure);
    if (failed === undefined) this.#finish(key, known);
    // The next plan knows that the Service has it again.
    else if (outcomes.includes(usedAgain)) this.#open.delete(key);
    else this.#postpone(key, known, service, line, failed);
    this.#options.onNews();
  }

  #finish(key: string, { uid }: Return): void {
    this.#open.delete(key);
    this.#returned.set(key, uid);
  }

  #postpone(
    key: string,
    known: Return,
    service: LoadBalancer,
    line: SourceLine,
    { message }: SourceFailure,
  ): void {
    const { clock, random, onFailure } = this.#options;
    const now = clock.monotonic();
    known.failures += 1;
    const givesUpAt = line.canList ? known.since + patienceMs : Infinity;
    const pauseMs = backoffDelay(retries, known.failures, random);
    known.retryAt = Math.min(now + pauseMs, Math.max(now + retries.firstMs, givesUpAt));
    const isGivenUp = now >= givesUpAt;
    if (isGivenUp) this.#finish(key, known);
    if (isGivenUp || known.failures === 1) onFailure(service, message, isGivenUp);
  }
}

/** Where others use the same slot it goes back with the last of them. */
const released = { kind: 'released' } as const;
const usedAgain = failure('conflict', 'has given the address to the Service again');
