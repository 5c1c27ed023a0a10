/**
 * When to ask next, so that those who are well are asked together: waking up costs a process more than asking does. All
 * times are ms on the monotonic clock.
 */

export interface Due {
  readonly at: number;
  /** Its answers come: it may wait a little. Others are waited for by somebody. */
  readonly isCalm: boolean;
}

/**
 * Two that are asked at the same interval are in step after at most one turn, since one of them waits for the other if
 * calm ones may wait for half of it; and who was asked at the same time is due at the same time.
 */
export function commonBeat(due: Iterable<Due>, intervalMs: number): number {
  let urgentAt = Infinity;
  const calm: number[] = [];
  for (const { at, isCalm } of due) {
    if (isCalm) calm.push(at);
    else urgentAt = Math.min(urgentAt, at);
  }
  return Math.min(urgentAt, dueTogether(calm, intervalMs / 2));
}

/** When to look at the first of them, and at all that are due so soon after it; `Infinity` if there are none. */
export function dueTogether(times: readonly number[], withinMs: number): number {
  const first = Math.min(...times);
  return first === Infinity ? first : Math.max(...times.filter((at) => at <= first + withinMs));
}
