export interface Arrival {
  /** Monotonic, as is the result. */
  readonly now: number;
  /** By the wall clock, in which the kernel stamps frames. */
  readonly age: number;
  /** When the socket was last seen empty: what is read later arrived later. */
  readonly emptyAt: number;
}

/** More than it takes to read two clocks. */
const slackMs = 10;

/**
 * When a frame arrived. A wall clock that was set meanwhile, or that is not the one in which the kernel stamps, cannot move
 * it out of the span in which it must have come: then that is now, since what is taken for older than the question that it
 * answers would be taken for no answer.
 */
export function arrivalTime({ now, age, emptyAt }: Arrival): number {
  const at = now - age;
  return at > now || at < emptyAt - slackMs ? now : Math.max(at, emptyAt);
}
