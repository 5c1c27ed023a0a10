import { createHistogram } from 'node:perf_hooks';

/** In seconds, of the timers that ran since the last reading; 0 where none did. */
export interface LatenessFigures {
  readonly mean: number;
  readonly p99: number;
  readonly max: number;
}

/** Whoever stalls for longer has other troubles. */
const longestMicroseconds = 3_600_000_000;

/** How late timers run: what keeps the event loop from its work is seen by whoever waits for it, at no wake of its own. */
export class Lateness {
  readonly #histogram = createHistogram({ lowest: 1, highest: longestMicroseconds, figures: 2 });

  note(lateMs: number): void {
    const microseconds = Math.round(lateMs * 1000);
    this.#histogram.record(Math.min(Math.max(microseconds, 1), longestMicroseconds));
  }

  /** Begins anew. */
  take(): LatenessFigures {
    const histogram = this.#histogram;
    const isEmpty = histogram.count === 0;
    const { mean, max } = isEmpty ? { mean: 0, max: 0 } : histogram;
    const p99 = isEmpty ? 0 : histogram.percentile(99);
    histogram.reset();
    return { mean: mean / 1e6, p99: p99 / 1e6, max: max / 1e6 };
  }
}
