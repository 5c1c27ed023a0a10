export interface Arrival {
  /** Monotonic, as is the result. */
  readonly now: number;
  /** By the wall clock, in which the kernel stamps frames. */
  readonly age: number;
  /** When the socket was last seen empty: what is read later arrived later. */
  readonly emptyAt: number;
}

/** When a frame arrived. A wall clock that was set meanwhile cannot move it out of the span in which it must have come. */
export function arrivalTime({ now, age, emptyAt }: Arrival): number {
  return Math.min(Math.max(now - age, emptyAt), now);
}
