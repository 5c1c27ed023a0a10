/** The first of many moments, Infinity where there is none. A call with a hundred thousand arguments would not fit the stack. */
export function earliest(times: Iterable<number>): number {
  let first = Infinity;
  for (const time of times) if (time < first) first = time;
  return first;
}
