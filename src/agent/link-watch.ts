/** Which links can carry traffic, judged each time that they are read; one that is back is a reason to doubt. */

import {
  judgeLinks,
  type LinkJudgement,
  type LinkObservations,
} from '../decide/announcement/judge-links.ts';
import { findReturned } from '../decide/failover/distrust-self.ts';
import type { FailoverTimings } from '../model/agent-config.ts';
import type { Link } from '../model/link.ts';
import type { Clock } from '../runtime/clock.ts';
import type { SelfTrust } from './self-trust.ts';

type Doubting = Pick<SelfTrust, 'doubt'> & { stallMs: number };

/** Before a configuration is known. */
const usualTimings = { probeIntervalMs: 100, misses: 5, linkSettleMs: 5_000, stallMs: 400 };

export class LinkWatch {
  readonly #clock: Clock;
  readonly #self: Doubting;
  #observations: LinkObservations | undefined;

  constructor(clock: Clock, self: Doubting) {
    this.#clock = clock;
    this.#self = self;
  }

  /** Undefined: they could not be read, and what was seen before stands. */
  judge(
    links: readonly Link[] | undefined,
    configured: FailoverTimings | undefined,
  ): LinkJudgement {
    const timings = configured ?? usualTimings;
    this.#self.stallMs = timings.stallMs;
    const before = this.#observations;
    const judged = judgeLinks(links ?? [], before, timings, this.#clock.monotonic());
    if (links === undefined) return judged;
    this.#observations = judged.observations;
    const returned = new Set(findReturned(before, judged.observations));
    for (const { name } of links.filter(({ index }) => returned.has(index))) {
      this.#self.doubt(name, 'carrierBack');
    }
    return judged;
  }
}
