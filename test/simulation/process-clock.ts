/** The clock of one simulated process: it may be set wrongly, stand still with its process, and end with it. */

import type { Cancel, Clock } from '../../src/runtime/clock.ts';

export class ProcessClock implements Clock {
  readonly #world: Clock;
  /** How far the machine's wall clock is from the true time. */
  readonly #skewMs: () => number;
  #state: 'running' | 'stalled' | 'dead' = 'running';
  #late: (() => void)[] = [];

  constructor(world: Clock, skewMs: () => number) {
    this.#world = world;
    this.#skewMs = skewMs;
  }

  now(): number {
    return this.#world.now() + this.#skewMs();
  }

  monotonic(): number {
    return this.#world.monotonic();
  }

  after(ms: number, callback: () => void): Cancel {
    let isCancelled = false;
    const cancel = this.#world.after(ms, () => {
      this.run(() => {
        if (!isCancelled) callback();
      });
    });
    return () => {
      isCancelled = true;
      cancel();
    };
  }

  /** Now, or when the process runs again; never if it is dead. */
  run(callback: () => void): void {
    if (this.#state === 'running') callback();
    else if (this.#state === 'stalled') this.#late.push(callback);
  }

  get isRunning(): boolean {
    return this.#state === 'running';
  }

  stall(): void {
    if (this.#state === 'running') this.#state = 'stalled';
  }

  resume(): void {
    if (this.#state !== 'stalled') return;
    this.#state = 'running';
    const late = this.#late;
    this.#late = [];
    for (const callback of late) this.run(callback);
  }

  die(): void {
    this.#state = 'dead';
    this.#late = [];
  }
}
