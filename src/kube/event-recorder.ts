import { type Backoff, backoffDelay } from '../runtime/backoff.ts';
import type { Cancel, Clock } from '../runtime/clock.ts';
import { ApiError, isAlreadyExists, isNamespaceTerminating, isNotFound } from './api-error.ts';
import type { Cluster } from './cluster.ts';
import { EventBudget } from './event-budget.ts';
import { type EventReporter, EventSeries, type EventWish, seriesKey } from './event-series.ts';
import { mergePatch } from './patch.ts';
import { events } from './resources.ts';

export interface EventRecorderOptions extends EventReporter {
  readonly cluster: Cluster;
  readonly clock: Clock;
  /** 0 ≤ x < 1. */
  readonly random: () => number;
  /** An event that nobody will see: too many at once, or the server would not take it. */
  readonly onDropped?: (wish: EventWish, why: unknown) => void;
}

/** As long as the same happens again within this time, it is one event with a count. */
const windowMs = 360_000;
const mostSeries = 2_000;
const mostQueued = 1_000;
const mostAtOnce = 4;
const mostTries = 8;
const backoff: Backoff = { firstMs: 1_000, factor: 2, longestMs: 30_000, jitter: 0.5 };

/**
 * Tells users what happened to their objects. Recording never waits and never throws: events are sent in the
 * background, a few at a time; repetitions become a count; what is too much is dropped and counted.
 */
export class EventRecorder {
  readonly #options: EventRecorderOptions;
  readonly #budget = new EventBudget();
  readonly #series = new Map<string, EventSeries>();
  readonly #queue = new Set<EventSeries>();
  readonly #sending = new Set<EventSeries>();
  #isStopped = false;
  #failures = 0;
  #pausedUntil = Number.NEGATIVE_INFINITY;
  #dropped = 0;
  #wake: { readonly at: number; readonly cancel: Cancel } | undefined;
  #whenIdle = () => {};

  constructor(options: EventRecorderOptions) {
    this.#options = options;
  }

  get dropped(): number {
    return this.#dropped;
  }

  record(wish: EventWish): void {
    const now = this.#now();
    const key = seriesKey(wish);
    const known = this.#series.get(key);
    if (known !== undefined && now.monotonic - known.lastAt <= windowMs) {
      known.repeat(now);
      this.#tellWhenDue(known);
      return;
    }
    const isRoom = this.#queue.size < mostQueued && !this.#isStopped;
    if (!isRoom || !this.#budget.take(wish.regarding, now.monotonic)) {
      this.#drop(wish, 'too many events');
      return;
    }
    const series = new EventSeries(wish, this.#options, this.#options.random(), now);
    this.#remember(key, series);
    this.#enqueue(series);
  }

  /** Sends what is still to be sent, for at most so long, and nothing after that. */
  async stop(withinMs: number): Promise<void> {
    for (const series of this.#series.values()) {
      if (!series.isTold && !this.#sending.has(series)) this.#queue.add(series);
    }
    this.#pausedUntil = Number.NEGATIVE_INFINITY;
    if (this.#queue.size > 0 || this.#sending.size > 0) {
      await new Promise<void>((resolve) => {
        const cancel = this.#options.clock.after(withinMs, resolve);
        this.#whenIdle = () => {
          cancel();
          resolve();
        };
        this.#work();
      });
    }
    this.#isStopped = true;
    this.#queue.clear();
    this.#wake?.cancel();
  }

  #remember(key: string, series: EventSeries): void {
    this.#series.delete(key);
    this.#series.set(key, series);
    const oldest = this.#series.keys().next();
    if (this.#series.size > mostSeries && oldest.done !== true) this.#series.delete(oldest.value);
  }

  #tellWhenDue(series: EventSeries): void {
    if (series.isTold || this.#queue.has(series) || this.#sending.has(series)) return;
    if (series.nextTellAt <= this.#now().monotonic) this.#enqueue(series);
    else this.#wakeAt(series.nextTellAt);
  }

  #enqueue(series: EventSeries): void {
    this.#queue.add(series);
    this.#work();
  }

  #work(): void {
    const { monotonic } = this.#now();
    if (this.#pausedUntil > monotonic) {
      this.#wakeAt(this.#pausedUntil);
      return;
    }
    for (const series of this.#queue) {
      if (this.#sending.size >= mostAtOnce) return;
      this.#queue.delete(series);
      this.#sending.add(series);
      void this.#send(series);
    }
    if (this.#sending.size === 0) this.#whenIdle();
  }

  async #send(series: EventSeries): Promise<void> {
    const { count } = series;
    try {
      await this.#tell(series);
      this.#failures = 0;
      series.noteTold(count, this.#now().monotonic);
    } catch (error) {
      this.#noteFailure(series, error);
    }
    this.#sending.delete(series);
    if (this.#isStopped) return;
    this.#tellWhenDue(series);
    this.#work();
  }

  async #tell(series: EventSeries): Promise<void> {
    if (!series.isPosted) return this.#post(series);
    const { namespace, name } = series;
    const patch = mergePatch({ series: series.toSeries() });
    try {
      await this.#options.cluster.patch(events, { namespace, name }, patch);
    } catch (error) {
      const now = this.#now();
      if (!isNotFound(error) || series.isGoneEarly(now.monotonic)) throw error;
      series.restart(this.#options.random(), now);
      await this.#post(series);
    }
  }

  async #post(series: EventSeries): Promise<void> {
    try {
      await this.#options.cluster.create(events, series.toObject());
    } catch (error) {
      // An attempt whose answer was lost has created it already.
      if (!isAlreadyExists(error)) throw error;
    }
  }

  #noteFailure(series: EventSeries, error: unknown): void {
    const { clock, random } = this.#options;
    this.#failures += 1;
    series.tries += 1;
    if (!isPassing(error) || series.tries >= mostTries) {
      this.#series.delete(seriesKey(series.wish));
      series.noteTold(series.count, clock.monotonic());
      // Nobody can read it any more, and nothing is wrong.
      if (!isLeavingNamespace(error)) this.#drop(series.wish, error);
      return;
    }
    const delayMs = Math.max(backoffDelay(backoff, this.#failures, random), hintOf(error));
    this.#pausedUntil = clock.monotonic() + delayMs;
    this.#queue.add(series);
  }

  #drop(wish: EventWish, why: unknown): void {
    this.#dropped += 1;
    this.#options.onDropped?.(wish, why);
  }

  /** One timer for all that wait. */
  #wakeAt(at: number): void {
    if (this.#wake !== undefined && this.#wake.at <= at) return;
    this.#wake?.cancel();
    const cancel = this.#options.clock.after(at - this.#now().monotonic, () => {
      this.#wake = undefined;
      for (const series of this.#series.values()) this.#tellWhenDue(series);
      this.#work();
    });
    this.#wake = { at, cancel };
  }

  #now() {
    const { clock } = this.#options;
    return { monotonic: clock.monotonic(), wall: clock.now() };
  }
}

/** The namespace is gone, or takes nothing more because it is being deleted. */
function isLeavingNamespace(error: unknown): boolean {
  return isNotFound(error) || isNamespaceTerminating(error);
}

/** The next attempt may go better. */
function isPassing(error: unknown): boolean {
  if (!(error instanceof ApiError)) return false;
  return error.code !== 'refused' || error.status === 429 || (error.status ?? 0) >= 500;
}

function hintOf(error: unknown): number {
  return error instanceof ApiError ? Math.min(error.retryAfterMs ?? 0, 60_000) : 0;
}
