/** Spans in which the measuring process itself stood still: what happened meanwhile, it cannot know. */

export interface Span {
  /** Monotonic milliseconds. */
  readonly from: number;
  readonly to: number;
  readonly ms: number;
}

export function spanOf(from: number, to: number): Span {
  return { from, to, ms: to - from };
}

/** Told the time at every turn of a timer, finds the turns that came too late. */
export class StallWatch {
  readonly #stalls: Span[] = [];
  readonly #thresholdMs: number;
  #last: number | undefined;

  constructor(thresholdMs: number) {
    this.#thresholdMs = thresholdMs;
  }

  get stalls(): readonly Span[] {
    return this.#stalls;
  }

  turn(now: number): void {
    const last = this.#last;
    this.#last = now;
    if (last !== undefined && now - last > this.#thresholdMs) this.#stalls.push(spanOf(last, now));
  }
}

/** How much of the time between `from` and `to` was stalled. Stalls are in order and do not overlap. */
export function stalledMs(stalls: readonly Span[], from: number, to: number): number {
  let sum = 0;
  for (const stall of stalls)
    sum += Math.max(0, Math.min(stall.to, to) - Math.max(stall.from, from));
  return sum;
}
