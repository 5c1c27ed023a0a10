/**
 * How many addresses of a pool and family are looked at in advance: few while little happens, more while addresses are
 * given out one after the other, so that the looks stay ahead of a burst. Times are ms on the monotonic clock.
 */

export interface LookWindow {
  readonly size: number;
  /** When the size was last looked into. */
  readonly since: number;
  /** Addresses that were given out since then. */
  readonly taken: number;
}

/** In calm, and in a burst. */
const leastSize = 8;
const mostSize = 128;
/** All pools of a cluster together, in calm. */
const mostInAll = 64;
/** A window that fewer than half of it was used of for so long gets smaller. */
const shrinkMs = 10_000;

export const firstWindow: LookWindow = { size: leastSize, since: -Infinity, taken: 0 };

/** Doubles while half of it is taken at a time, and halves when that does not happen. */
export function resizeWindow(before: LookWindow, taken: number, now: number): LookWindow {
  const { size, since } = before;
  const sum = before.taken + taken;
  if (sum >= size / 2) return { size: Math.min(2 * size, mostSize), since: now, taken: 0 };
  if (now - since < shrinkMs) return { size, since, taken: sum };
  return { size: Math.max(leastSize, size / 2), since: now, taken: 0 };
}

/** Of many pools, as many of each as the budget allows; those that come last in order may get none. */
export function shareBudget<T extends { readonly window: LookWindow }>(
  lanes: readonly T[],
): ReadonlyMap<T, number> {
  const calm = Math.max(1, Math.floor(mostInAll / Math.max(1, lanes.length)));
  const shares = new Map<T, number>();
  let left = mostInAll;
  // A pool that addresses are being given out of goes first.
  for (const lane of lanes.toSorted((one, other) => other.window.size - one.window.size)) {
    const { size } = lane.window;
    const share = size > leastSize ? size : Math.min(size, calm, left);
    if (share > 0) shares.set(lane, share);
    left = Math.max(0, left - share);
  }
  return shares;
}
