/** Ages as kubectl's tables show them: coarser the longer ago. */

const minute = 60;
const hour = 60 * minute;
const day = 24 * hour;
const year = 365 * day;

/** Below `below` seconds: the number of `unit`s, and what is left over in `rest` units. */
const steps: readonly (readonly [
  below: number,
  unit: readonly [number, string],
  rest?: readonly [number, string],
])[] = [
  [2 * minute, [1, 's']],
  [10 * minute, [minute, 'm'], [1, 's']],
  [3 * hour, [minute, 'm']],
  [8 * hour, [hour, 'h'], [minute, 'm']],
  [2 * day, [hour, 'h']],
  [8 * day, [day, 'd'], [hour, 'h']],
  [2 * year, [day, 'd']],
  [8 * year, [year, 'y'], [day, 'd']],
  [Infinity, [year, 'y']],
];

export function humanDuration(ms: number): string {
  const seconds = Math.trunc(ms / 1000);
  // Clocks of two machines may differ a little; more than that is a mistake.
  if (seconds < -1) return '<invalid>';
  if (seconds < 0) return '0s';
  const [, [size, unit], rest] = steps.find(([below]) => seconds < below) ?? [0, [1, 's']];
  const main = `${Math.floor(seconds / size)}${unit}`;
  const left = rest === undefined ? 0 : Math.floor((seconds % size) / rest[0]);
  return left === 0 ? main : `${main}${left}${rest?.[1] ?? ''}`;
}

/** How long ago a time of an object was. */
export function since(time: string, now: number): string {
  const at = Date.parse(time);
  return Number.isNaN(at) ? '<unknown>' : humanDuration(now - at);
}
