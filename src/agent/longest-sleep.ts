/** However quiet it is, everything is looked at so often. */
const usualMs = 30_000;
const mostMs = 300_000;
/** With thousands of addresses a look takes a tenth of a second, and finds nothing new: it gets a thousandth of the time. */
const share = 1_000;

export function longestSleep(tookMs: number): number {
  return Math.min(Math.max(tookMs * share, usualMs), mostMs);
}
