/** How long to wait after the n-th failure in a row. */

export interface Backoff {
  readonly firstMs: number;
  readonly factor: number;
  readonly longestMs: number;
  /** Share of the delay that chance may take off, 0 to 1: keeps many clients from retrying in step. */
  readonly jitter: number;
}

export const defaultBackoff: Backoff = { firstMs: 100, factor: 2, longestMs: 30_000, jitter: 0.3 };

/** `failures` counts from 1; `random` yields 0 ≤ x < 1. */
export function backoffDelay(backoff: Backoff, failures: number, random: () => number): number {
  const { firstMs, factor, longestMs, jitter } = backoff;
  const delay = Math.min(longestMs, firstMs * factor ** Math.max(0, failures - 1));
  return delay * (1 - jitter * random());
}
