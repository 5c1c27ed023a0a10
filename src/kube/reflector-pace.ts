import { type Backoff, backoffDelay } from '../runtime/backoff.ts';
import type { Clock } from '../runtime/clock.ts';
import { ApiError, isFromTheFuture, isNotFound } from './api-error.ts';

/** How one list and watch came to its end. */
export type PassEnd =
  /** The server, or our own outer limit, ended it in good order. */
  | { readonly kind: 'ended'; readonly lastedMs: number; readonly events: number }
  /** The server no longer keeps the version, or its history is another one. */
  | { readonly kind: 'expired' }
  /** The server cannot stream the initial state: pages are read at once. */
  | { readonly kind: 'unsupported' }
  | { readonly kind: 'failed'; readonly error: unknown };

export interface NextPass {
  readonly delayMs: number;
  /** The state must be read anew: going on from the last version would not help. */
  readonly isResync: boolean;
  /** The server itself said when to come back: no sooner, whatever else it answers meanwhile. */
  readonly isFixed: boolean;
}

/** 0.8 to 1.6 s, doubling to 15 to 30 s: thousands of agents must not return in step. */
const backoff: Backoff = { firstMs: 1_600, factor: 2, longestMs: 30_000, jitter: 0.5 };
/** After a failure: an agent that has read nothing yet serves nothing new, so each outage is longer by this delay. */
const failureBackoff: Backoff = { ...backoff, longestMs: 10_000 };
const forgottenAfterMs = 120_000;
const repeatedWithinMs = 60_000;
const shortestWatchMs = 1_000;
const longestRetryAfterMs = 120_000;
/** After so many errors in a row that the server itself gave, reading anew is the way to make progress. */
const mostRefusals = 5;

/** Decides when to try again, and whether from the last version. */
export class ReflectorPace {
  readonly #clock: Clock;
  readonly #random: () => number;
  #failures = 0;
  #failedAt = Number.NEGATIVE_INFINITY;
  #refusals = 0;
  #expiredAt = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock, random: () => number) {
    this.#clock = clock;
    this.#random = random;
  }

  /** Something was received in good order. */
  progressed(): void {
    this.#refusals = 0;
  }

  next(end: PassEnd): NextPass {
    switch (end.kind) {
      case 'ended':
        return this.#afterEnd(end);
      case 'expired':
        return { delayMs: this.#afterExpiry(), isResync: true, isFixed: false };
      case 'unsupported':
        return { delayMs: 0, isResync: true, isFixed: false };
      case 'failed':
        return this.#afterFailure(end.error);
      default:
        return end satisfies never;
    }
  }

  /** A watch that is closed as soon as it opens, time and again, is a fault, whatever its status says. */
  #afterEnd({
    lastedMs,
    events,
  }: {
    readonly lastedMs: number;
    readonly events: number;
  }): NextPass {
    const isHealthy = lastedMs >= shortestWatchMs || events > 0;
    return { delayMs: isHealthy ? 0 : this.#backOff(), isResync: false, isFixed: false };
  }

  /** At once, unless reading anew has just been tried and did not help. */
  #afterExpiry(): number {
    const now = this.#clock.monotonic();
    const isRepeated = now - this.#expiredAt < repeatedWithinMs;
    this.#expiredAt = now;
    return isRepeated ? this.#backOff() : 0;
  }

  #afterFailure(error: unknown): NextPass {
    const hintMs = error instanceof ApiError ? (error.retryAfterMs ?? 0) : 0;
    const delayMs = Math.max(this.#backOff(failureBackoff), Math.min(hintMs, longestRetryAfterMs));
    if (isCuredByReading(error)) this.#refusals += 1;
    const isResync = isFromTheFuture(error) || isNotFound(error) || this.#refusals >= mostRefusals;
    if (isResync) this.#refusals = 0;
    return { delayMs, isResync, isFixed: hintMs > 0 };
  }

  /** Once the server has answered somebody else: the shortest delay of all, which keeps agents out of step. */
  afterRing(): number {
    return backoffDelay(backoff, 1, this.#random);
  }

  #backOff(by = backoff): number {
    const now = this.#clock.monotonic();
    if (now - this.#failedAt > forgottenAfterMs) this.#failures = 0;
    this.#failures += 1;
    this.#failedAt = now;
    return backoffDelay(by, this.#failures, this.#random);
  }
}

/** Not "later", not "who are you", and not a broken connection: there a full list would only add load. */
function isCuredByReading(error: unknown): boolean {
  if (!(error instanceof ApiError)) return true;
  if (error.code === 'malformed') return true;
  return error.code === 'refused' && ![401, 403, 429, 503].includes(error.status ?? 0);
}
