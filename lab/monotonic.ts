/** Milliseconds of CLOCK_MONOTONIC: the same clock in every process of the machine, so their records can be compared. */
export function monotonicMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
