/** Start and ordered end of a program. */

import { isAbort } from './abort.ts';
import { type Clock, sleep } from './clock.ts';
import type { Log, LogFields } from './log.ts';

/** What a program does to, and hears from, its process. */
export interface ProcessPort {
  onSignal(listener: (signal: StopSignal) => void): void;
  onFault(listener: (kind: ProcessFault, error: unknown) => void): void;
  exit(code: number): void;
}

export type StopSignal = 'SIGTERM' | 'SIGINT';
export type ProcessFault = 'uncaughtException' | 'unhandledRejection';

export interface LifecycleOptions {
  readonly log: Log;
  readonly clock: Clock;
  readonly process?: ProcessPort;
  /** For each stop hook that has no limit of its own, for the start, and for background tasks to end. */
  readonly stopLimitMs?: number;
}

export type StopHook = () => void | Promise<void>;

interface NamedHook {
  readonly name: string;
  readonly stop: StopHook;
  readonly limitMs: number;
}

/**
 * The end, however it comes: `stopping` is aborted, the start is awaited, stop hooks run in reverse order, background
 * tasks are awaited, the process exits: with 0 if it was asked to end and all went well, else with 1.
 * What others need until late (a connection, say) listens to a signal of its own that its stop hook aborts.
 */
export class Lifecycle {
  readonly #log: Log;
  readonly #clock: Clock;
  readonly #process: ProcessPort;
  readonly #stopLimitMs: number;
  readonly #stopping = new AbortController();
  readonly #hooks: NamedHook[] = [];
  readonly #background = new Map<Promise<void>, string>();
  #start: Promise<void> = Promise.resolve();
  #end: Promise<void> | undefined;
  #exitCode = 0;

  constructor({ log, clock, process = nodeProcess, stopLimitMs = 5_000 }: LifecycleOptions) {
    this.#log = log;
    this.#clock = clock;
    this.#process = process;
    this.#stopLimitMs = stopLimitMs;
    process.onSignal((signal) => this.#onSignal(signal));
    process.onFault((kind, error) => this.#fail('Unexpected error', { kind, error }));
  }

  get stopping(): AbortSignal {
    return this.#stopping.signal;
  }

  /** Starts the program. If that fails, what it had started already is stopped again. */
  async run(start: () => Promise<void>): Promise<void> {
    this.#start = this.#watch(callAsync(start), 'Start failed', {});
    await this.#start;
  }

  /** For a task that nobody awaits: its failure ends the program. */
  background(name: string, task: Promise<unknown>): void {
    const watched = this.#watch(task, 'Background task failed', { task: name });
    this.#background.set(watched, name);
    void watched.then(() => this.#background.delete(watched));
  }

  /** Hooks that are added while stopping still run. */
  onStop(name: string, stop: StopHook, limitMs = this.#stopLimitMs): void {
    this.#hooks.push({ name, stop, limitMs });
  }

  /** Resolves when all is done and the process was told to exit. */
  stop(reason: string): Promise<void> {
    this.#end ??= this.#stopAll(reason);
    return this.#end;
  }

  #onSignal(signal: StopSignal): void {
    if (this.#end === undefined) {
      void this.stop(signal);
      return;
    }
    this.#log.warn('Second signal, exiting at once', { signal });
    this.#process.exit(signalExitCodes[signal]);
  }

  /** Resolves in any case. Being aborted by the stop is no failure. */
  async #watch(task: Promise<unknown>, failure: string, fields: LogFields): Promise<void> {
    try {
      await task;
    } catch (error) {
      if (!isAbort(error, this.stopping)) this.#fail(failure, { ...fields, error });
    }
  }

  #fail(message: string, fields: LogFields): void {
    this.#exitCode = 1;
    this.#log.error(message, fields);
    void this.stop(message);
  }

  async #stopAll(reason: string): Promise<void> {
    const startedAt = this.#clock.monotonic();
    this.#log.info('Stopping', { reason });
    this.#stopping.abort();
    await this.#runHook({ name: 'start', stop: () => this.#start, limitMs: this.#stopLimitMs });
    for (let hook = this.#hooks.pop(); hook !== undefined; hook = this.#hooks.pop()) {
      await this.#runHook(hook);
    }
    await this.#awaitBackground();
    const exitCode = this.#exitCode;
    const ms = Math.round(this.#clock.monotonic() - startedAt);
    this.#log.info('Stopped', { exitCode, ms });
    this.#process.exit(exitCode);
  }

  async #runHook({ name, stop, limitMs }: NamedHook): Promise<void> {
    try {
      if (await settlesWithin(this.#clock, limitMs, callAsync(stop))) return;
      this.#log.error('Stop hook timed out', { hook: name, limitMs });
    } catch (error) {
      this.#log.error('Stop hook failed', { hook: name, error });
    }
    this.#exitCode = 1;
  }

  async #awaitBackground(): Promise<void> {
    const all = Promise.all(this.#background.keys());
    if (await settlesWithin(this.#clock, this.#stopLimitMs, all)) return;
    this.#log.error('Background tasks did not end', { tasks: [...this.#background.values()] });
    this.#exitCode = 1;
  }
}

const signalExitCodes = { SIGINT: 130, SIGTERM: 143 } as const satisfies Record<StopSignal, number>;

const nodeProcess: ProcessPort = {
  onSignal: (listener) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => listener(signal));
  },
  onFault: (listener) => {
    for (const kind of ['uncaughtException', 'unhandledRejection'] as const) {
      process.on(kind, (error: unknown) => listener(kind, error));
    }
  },
  exit: (code) => process.exit(code),
};

async function callAsync(callback: () => unknown): Promise<void> {
  await callback();
}

/** False when the time is over first; a rejection in time is passed on, a later one is nobody's. */
async function settlesWithin(clock: Clock, ms: number, task: Promise<unknown>): Promise<boolean> {
  const limit = new AbortController();
  const late = sleep(clock, ms, limit.signal);
  try {
    return await Promise.race([task.then(() => true), late.then(() => false)]);
  } finally {
    limit.abort();
  }
}
