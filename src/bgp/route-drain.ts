/** Follows how the routes of a node that takes no part any more leave the routers, and when its addresses may go. */

import { drainMs, type Farewell } from '../decide/advertisement/farewell.ts';
import { gracefulShutdown } from '../model/bgp-path.ts';
import type { SpeakerState } from '../model/speaker.ts';
import type { Clock } from '../runtime/clock.ts';

/** A daemon that does not do as it is told keeps no address for longer. */
const longestMs = 5_000;

export class RouteDrain {
  readonly #clock: Pick<Clock, 'monotonic'>;
  /** When the node was found to be out; undefined: it takes part. */
  #since: number | undefined;
  /** When all routes carried the mark. */
  #markedAt: number | undefined;
  #isOver = false;

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
  }

  /** Whether that is news. */
  note(isOut: boolean): boolean {
    if (isOut === (this.#since !== undefined)) return false;
    this.#since = isOut ? this.#clock.monotonic() : undefined;
    this.#markedAt = undefined;
    this.#isOver = false;
    return true;
  }

  get farewell(): Farewell {
    if (this.#since === undefined) return 'none';
    return this.#isOver || this.#clock.monotonic() >= this.#withdrawalAt ? 'withdrawn' : 'marked';
  }

  /** Routers may still send something. */
  get isUnderWay(): boolean {
    if (this.#since === undefined || this.#isOver) return false;
    return this.#clock.monotonic() < this.#since + longestMs;
  }

  /** When there is more to do though nothing changes. */
  get wakeAt(): number {
    return this.#since === undefined || this.#isOver ? Infinity : this.#withdrawalAt;
  }

  /** After each pass: what the daemon advertises now; undefined where nobody can tell it anything. */
  noteState(state: Pick<SpeakerState, 'paths'> | undefined): void {
    if (this.#since === undefined || this.#isOver) return;
    const paths = state?.paths ?? [];
    if (paths.length === 0) this.#isOver = true;
    const areMarked = paths.every(({ communities }) => communities.includes(gracefulShutdown));
    if (areMarked) this.#markedAt ??= this.#clock.monotonic();
  }

  get #withdrawalAt(): number {
    const latest = (this.#since ?? Infinity) + longestMs - drainMs;
    return Math.min((this.#markedAt ?? Infinity) + drainMs, latest);
  }
}
