/**
 * Brings things to their wanted state, one at a time. A work item is only a name: whoever saw something change wakes
 * it, and `reconcile` reads the world anew. Wakes of a name that already waits merge; none is ever lost.
 */

import { isAbort } from './abort.ts';
import { type Backoff, backoffDelay, defaultBackoff } from './backoff.ts';
import type { Cancel, Clock } from './clock.ts';

export interface ReconcileResult {
  /**
   * Run again at this time of `clock.monotonic()`, unless woken before. Monotonic, because the wall clock may be set:
   * a deadline in wall time becomes `clock.monotonic() + (deadline - clock.now())`.
   */
  readonly wakeAt?: number;
}

export interface ReconcilerOptions<Key extends string> {
  readonly clock: Clock;
  /** The signal is aborted by `stop`. A throw means: try again after a while. */
  readonly reconcile: (key: Key, signal: AbortSignal) => Promise<ReconcileResult>;
  readonly onError: (failure: ReconcileFailure<Key>) => void;
  readonly random?: () => number;
  readonly backoff?: Backoff;
  /** Nearest that a `wakeAt` is honoured: one that lies in the past must not make a busy loop. */
  readonly shortestWaitMs?: number;
  /** Not at all by default. */
  readonly rest?: Rest;
}

/**
 * After a run it rests for this many times as long as that took, but no longer than so. Wakes merge meanwhile: a storm
 * of them leaves time for others, and one that comes alone never waits. What is due by the clock or in a hurry does not
 * wait either, so many times in a row; then for as long as the last run took: who wakes itself in a hurry by every run
 * leaves others half of the time.
 */
export interface Rest {
  readonly times: number;
  readonly longestMs: number;
  readonly mostHurried: number;
}

export interface ReconcileFailure<Key extends string> {
  readonly key: Key;
  readonly error: unknown;
  /** In a row, this one included. */
  readonly failures: number;
  /** Absent if it happened while stopping. */
  readonly retryInMs?: number;
}

export interface ReconcilerState<Key extends string> {
  readonly running?: { readonly key: Key; readonly since: number };
  /** How many wait for their turn. */
  readonly ready: number;
  readonly failing: readonly Key[];
}

/** What is remembered of a name that has a run planned or failed last time; others need no memory. */
interface Item {
  /** In a row. */
  failures: number;
  /** After a failure no wake is carried out before this time: who fails and wakes itself by that must not spin. */
  notBefore: number;
  planned: { readonly at: number; readonly cancel: Cancel } | undefined;
}

export class Reconciler<Key extends string = string> {
  readonly #options: ReconcilerOptions<Key>;
  readonly #clock: Clock;
  readonly #backoff: Backoff;
  readonly #stopping = new AbortController();
  readonly #items = new Map<Key, Item>();
  /** To run now, in order of their first wake. While it rests a run planned for a name here comes first. */
  readonly #ready = new Set<Key>();
  #running: { readonly key: Key; readonly since: number } | undefined;
  #lastRun: Promise<void> = Promise.resolve();
  #turn: { readonly at: number; readonly cancel: Cancel } | undefined;
  #restsUntil = -Infinity;
  /** The same, for what is in a hurry too often. */
  #restsBrieflyUntil = -Infinity;
  /** Some of what is ready does not wait until the rest is over. */
  #isHurried = false;
  /** Runs in a row that did not. */
  #hurriedRuns = 0;

  constructor(options: ReconcilerOptions<Key>) {
    this.#options = options;
    this.#clock = options.clock;
    this.#backoff = options.backoff ?? defaultBackoff;
  }

  /** Runs `key` as soon as possible; again afterwards if it is running. After a failure it waits a little first. */
  wake(key: Key): void {
    if (this.#stopping.signal.aborted) return;
    const item = this.#items.get(key);
    if (item === undefined || item.notBefore <= this.#clock.monotonic()) this.#makeReady(key);
    else if ((item.planned?.at ?? Infinity) > item.notBefore) this.#plan(key, item, item.notBefore);
  }

  /** The same, and a rest is cut short for it. */
  hurry(key: Key): void {
    this.#isHurried = true;
    this.wake(key);
  }

  /** Aborts and awaits the running one. Nothing runs afterwards, whoever wakes it. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    for (const item of this.#items.values()) item.planned?.cancel();
    this.#items.clear();
    this.#ready.clear();
    await this.#lastRun;
  }

  /** For health checks and metrics; `since` is monotonic. */
  get state(): ReconcilerState<Key> {
    const failing = [...this.#items].filter(([, item]) => item.failures > 0).map(([key]) => key);
    const state = { ready: this.#ready.size, failing };
    return this.#running === undefined ? state : { ...state, running: this.#running };
  }

  #makeReady(key: Key): void {
    this.#ready.add(key);
    this.#planTurn();
  }

  #plan(key: Key, item: Item, at: number): void {
    cancelPlan(item);
    this.#items.set(key, item);
    const cancel = this.#clock.after(at - this.#clock.monotonic(), () => {
      item.planned = undefined;
      this.#isHurried = true;
      this.#makeReady(key);
    });
    item.planned = { at, cancel };
  }

  /** Each run has its own turn of the event loop: wakes merge meanwhile, and no I/O is starved. */
  #planTurn(): void {
    if (this.#running !== undefined || this.#ready.size === 0) return;
    const now = this.#clock.monotonic();
    const at = Math.max(now, this.#turnAt());
    if (this.#turn !== undefined && this.#turn.at <= at) return;
    this.#turn?.cancel();
    const cancel = this.#clock.after(at - now, () => {
      this.#turn = undefined;
      const [key] = this.#ready;
      if (key !== undefined) this.#lastRun = this.#run(key);
    });
    this.#turn = { at, cancel };
  }

  #turnAt(): number {
    if (!this.#isHurried) return this.#restsUntil;
    const { mostHurried } = this.#options.rest ?? noRest;
    return this.#hurriedRuns < mostHurried ? -Infinity : this.#restsBrieflyUntil;
  }

  async #run(key: Key): Promise<void> {
    this.#ready.delete(key);
    const item = this.#items.get(key);
    if (item !== undefined) cancelPlan(item);
    const since = this.#clock.monotonic();
    this.#hurriedRuns = since < this.#restsUntil ? this.#hurriedRuns + 1 : 0;
    this.#isHurried = this.#isHurried && this.#ready.size > 0;
    this.#running = { key, since };
    try {
      const result = await this.#options.reconcile(key, this.#stopping.signal);
      this.#afterSuccess(key, result);
    } catch (error) {
      this.#afterFailure(key, error);
    } finally {
      this.#running = undefined;
      this.#rest(since);
      this.#planTurn();
    }
  }

  #rest(since: number): void {
    const { times, longestMs } = this.#options.rest ?? noRest;
    const now = this.#clock.monotonic();
    const tookMs = now - since;
    this.#restsUntil = now + Math.min(times * tookMs, longestMs);
    this.#restsBrieflyUntil = Math.min(now + tookMs, this.#restsUntil);
  }

  #afterSuccess(key: Key, { wakeAt }: ReconcileResult): void {
    this.#items.delete(key);
    if (wakeAt === undefined || this.#stopping.signal.aborted) return;
    const earliest = this.#clock.monotonic() + (this.#options.shortestWaitMs ?? 5);
    this.#plan(key, newItem(), Math.max(wakeAt, earliest));
  }

  #afterFailure(key: Key, error: unknown): void {
    const { signal } = this.#stopping;
    if (signal.aborted) {
      if (!isAbort(error, signal)) this.#options.onError({ key, error, failures: 1 });
      return;
    }
    const item = this.#items.get(key) ?? newItem();
    item.failures++;
    const random = this.#options.random ?? Math.random;
    const delay = backoffDelay(this.#backoff, item.failures, random);
    const shortest = Math.min(delay, this.#backoff.firstMs);
    item.notBefore = this.#clock.monotonic() + shortest;
    const isWokenAgain = this.#ready.delete(key);
    const retryInMs = isWokenAgain ? shortest : delay;
    this.#plan(key, item, this.#clock.monotonic() + retryInMs);
    this.#options.onError({ key, error, failures: item.failures, retryInMs });
  }
}

const noRest: Rest = { times: 0, longestMs: 0, mostHurried: 0 };

function newItem(): Item {
  return { failures: 0, notBefore: -Infinity, planned: undefined };
}

function cancelPlan(item: Item): void {
  item.planned?.cancel();
  item.planned = undefined;
}
