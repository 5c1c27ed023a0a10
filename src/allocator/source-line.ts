/**
 * The way to one pool's source: so many calls at once, one at a time for each slot, each with a time limit. While the
 * source fails nothing more is asked of it but, with growing pauses, how it is.
 */

import type { SourceReport } from '../decide/allocation/allocation-state.ts';
import { sourceName } from '../decide/allocation/fill-from-source.ts';
import {
  type AddressSource,
  type CheckOutcome,
  failure,
  isFailure,
  type SourceFailure,
} from '../ipam/address-source.ts';
import { Slots } from '../kube/slots.ts';
import type { Pool } from '../model/pool.ts';
import { type Backoff, backoffDelay } from '../runtime/backoff.ts';
import { type Clock, sleep } from '../runtime/clock.ts';

export type Operation = 'allocate' | 'release' | 'list' | 'stats' | 'check';

export interface Observation {
  readonly pool: string;
  readonly operation: Operation;
  /** What it did, or the reason of the failure. */
  readonly outcome: string;
  readonly message: string | undefined;
  readonly tookMs: number;
}

export interface SourceLineOptions {
  readonly pool: Pool;
  readonly source: AddressSource;
  readonly clock: Clock;
  readonly random: () => number;
  readonly observe: (observation: Observation) => void;
  /** Whether this allocator leads, by the clock: until that is sure again, nothing is changed at the source. */
  readonly mayAsk: () => boolean;
  /** Before anything is recorded at the source; a failure is the answer instead. */
  readonly prepare?: () => Promise<SourceFailure | undefined>;
  /** Another allocator may have sent requests for this pool just before. */
  readonly hasPredecessor?: boolean;
  /** It answers again, or does not any more. */
  readonly onTurn: () => void;
}

const noLongerUsed = failure('unavailable', 'is no longer used');
const retryMs = 100;

type Call<T> = (source: AddressSource, signal: AbortSignal) => Promise<T | SourceFailure>;

const mostAtOnce = 8;
/** A source tries again by itself; what takes longer than this is given up, and looked for when it is asked again. */
const withinMs = 60_000;
const pauses: Backoff = { firstMs: 1_000, factor: 2, longestMs: 20_000, jitter: 0.3 };
/** Longer than any Service waits before its source is asked again: if no write fails by then, none is waited for. */
const doubtMs = 30_000;
/** Longer than a request can be under way, with the proxies before the source. */
export const graceMs = 200_000;

export class SourceLine {
  readonly pool: Pool;
  readonly #options: SourceLineOptions;
  readonly #slots = new Slots(mostAtOnce);
  readonly #chains = new Map<string, Promise<unknown>>();
  readonly #closing = new AbortController();
  #failure: SourceFailure | undefined;
  /**
   * What failed last, until something of the kind goes well, or nothing has failed for a while: a check alone does not
   * show that writes do.
   */
  #doubt: { readonly failure: SourceFailure; readonly operation: Operation } | undefined;
  #failures = 0;
  /** When an order was last sent whose end is not known (monotonic). */
  #unclearAt = -Infinity;
  #ready: Extract<CheckOutcome, { kind: 'ready' }> | undefined;

  constructor(options: SourceLineOptions) {
    this.pool = options.pool;
    this.#options = options;
    if (options.hasPredecessor === true) this.#unclearAt = options.clock.monotonic();
    void this.#check();
  }

  /** Asked for the first time, it has not answered yet. */
  get isOpen(): boolean {
    return this.#ready !== undefined && this.#failure === undefined;
  }

  /** Why it is not open, once that is known. */
  get failure(): SourceFailure | undefined {
    return this.#failure;
  }

  get countsSharers(): boolean {
    return this.#options.source.countsSharers === true;
  }

  /** No request that would make a record can still be carried out. */
  get isSettled(): boolean {
    const { clock, source } = this.#options;
    const unclearAt = Math.max(this.#unclearAt, source.unclearAt ?? -Infinity);
    return clock.monotonic() - unclearAt >= graceMs;
  }

  get canList(): boolean {
    return this.#options.source.list !== undefined;
  }

  /** Undefined before the first answer. */
  get report(): Pick<SourceReport, 'isReady' | 'reason' | 'message' | 'warnings'> | undefined {
    const failing = this.#failure ?? this.#doubt?.failure;
    const name = sourceName(this.pool);
    if (failing !== undefined) return describe(failing, name);
    if (this.#ready === undefined) return undefined;
    const { message, warnings } = this.#ready;
    return { isReady: true, reason: 'Answering', message: `${name} ${message}`, warnings };
  }

  close(): void {
    this.#closing.abort();
    this.#options.source.close();
  }

  /** Asks once more how it does, if it did well: what people changed meanwhile is known then. */
  async lookAgain(): Promise<void> {
    if (this.isOpen) await this.#check();
  }

  /** Calls with the same key run one after the other, in the order in which they came. */
  async run<T extends { readonly kind: string }>(
    key: string,
    operation: Operation,
    call: Call<T>,
  ): Promise<T | SourceFailure> {
    const before = this.#chains.get(key);
    const running = (before ?? Promise.resolve()).then(() => this.#run(operation, call));
    this.#chains.set(key, running);
    try {
      return await running;
    } finally {
      if (this.#chains.get(key) === running) this.#chains.delete(key);
    }
  }

  async #run<T extends { readonly kind: string }>(
    operation: Operation,
    call: Call<T>,
  ): Promise<T | SourceFailure> {
    if (this.#closing.signal.aborted) return noLongerUsed;
    await this.#slots.take();
    try {
      if (isWrite(operation) && !(await this.#mayAsk())) return noLongerUsed;
      // Others that came before found out that it fails.
      if (this.#failure !== undefined) return this.#failure;
      const obstacle = operation === 'allocate' ? await this.#options.prepare?.() : undefined;
      if (obstacle !== undefined) return obstacle;
      const outcome = await this.#call(operation, call);
      if (isFailure(outcome) && isFault(outcome)) this.#noteFault(outcome, operation);
      else this.#noteSuccess(operation);
      return outcome;
    } finally {
      this.#slots.release();
    }
  }

  /** Until the leadership is either renewed or over. */
  async #mayAsk(): Promise<boolean> {
    const { clock, mayAsk } = this.#options;
    const { signal } = this.#closing;
    while (!signal.aborted && !mayAsk()) await sleep(clock, retryMs, signal).catch(() => {});
    return !signal.aborted;
  }

  async #call<T extends { readonly kind: string }>(
    operation: Operation,
    call: Call<T>,
  ): Promise<T | SourceFailure> {
    const { source, clock, pool, observe } = this.#options;
    const startedAt = clock.monotonic();
    const limit = new AbortController();
    const cancel = clock.after(withinMs, () => limit.abort());
    const signal = AbortSignal.any([limit.signal, this.#closing.signal]);
    const outcome = await call(source, signal).catch((error: unknown) =>
      describeError(error, limit.signal.aborted),
    );
    cancel();
    if (operation === 'allocate' && isFailure(outcome) && outcome.reason === 'ambiguous') {
      this.#unclearAt = clock.monotonic();
    }
    const tookMs = clock.monotonic() - startedAt;
    const message = isFailure(outcome) ? outcome.message : undefined;
    const kind = isFailure(outcome) ? outcome.reason : outcome.kind;
    observe({ pool: pool.name, operation, outcome: kind, message, tookMs });
    return outcome;
  }

  #noteFault(fault: SourceFailure, operation: Operation): void {
    if (this.#closing.signal.aborted || this.#failure !== undefined) return;
    this.#failure = fault;
    this.#doubt = { failure: fault, operation };
    this.#failures += 1;
    this.#options.onTurn();
    this.#checkLater();
  }

  #noteSuccess(operation: Operation): void {
    if (this.#doubt === undefined || isWrite(this.#doubt.operation) > isWrite(operation)) return;
    this.#doubt = undefined;
    this.#failures = 0;
    this.#options.onTurn();
  }

  #checkLater(): void {
    const { clock, random } = this.#options;
    const pauseMs = backoffDelay(pauses, this.#failures, random);
    const cancel = clock.after(pauseMs, () => void this.#check());
    this.#closing.signal.addEventListener('abort', cancel, { once: true });
  }

  async #check(): Promise<void> {
    const outcome = await this.#call('check', (source, signal) => source.check(signal));
    if (this.#closing.signal.aborted) return;
    if (isFailure(outcome)) {
      this.#failure = outcome;
      this.#failures += 1;
      this.#checkLater();
    } else {
      this.#ready = outcome;
      this.#failure = undefined;
      this.#noteSuccess('check');
      this.#endDoubtLater();
    }
    this.#options.onTurn();
  }

  #endDoubtLater(): void {
    const doubt = this.#doubt;
    if (doubt === undefined) return;
    const cancel = this.#options.clock.after(doubtMs, () => {
      if (this.#doubt === doubt && this.isOpen) this.#noteSuccess(doubt.operation);
    });
    this.#closing.signal.addEventListener('abort', cancel, { once: true });
  }
}

/** The others only look. */
function isWrite(operation: Operation): boolean {
  return operation === 'allocate' || operation === 'release';
}

/** A source that is full, or whose answer concerns one slot alone, does well. */
export function isFault({ reason }: Pick<SourceFailure, 'reason'>): boolean {
  return reason === 'denied' || reason === 'unavailable' || reason === 'ambiguous';
}

function describe({ reason, message: text }: SourceFailure, name: string) {
  const message = `${name} ${text}`;
  const isReady = false;
  const warnings: readonly string[] = [];
  if (reason === 'denied') return { isReady, reason: 'Denied', message, warnings } as const;
  if (reason === 'invalid') return { isReady, reason: 'Misconfigured', message, warnings } as const;
  return { isReady, reason: 'Unavailable', message, warnings } as const;
}

/** Sources do not throw: whatever comes this way was cut off, or is a mistake that must not end anything else. */
function describeError(error: unknown, isLate: boolean): SourceFailure {
  if (isLate) return failure('ambiguous', `did not answer within ${withinMs / 1000} s`);
  const why = error instanceof Error ? error.message : String(error);
  return failure('ambiguous', `failed: ${why}`);
}
