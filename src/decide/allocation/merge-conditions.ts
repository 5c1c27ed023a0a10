/** Our conditions among those of others, as they are written: `lastTransitionTime` changes only with the status. */

import type { Condition } from '../../model/condition.ts';
import { fitMessage } from '../../model/fit-bytes.ts';
import { formatTimestamp } from '../../model/timestamp.ts';
import { isSameJson } from './same-json.ts';

export type ConditionToWrite = Pick<Condition, 'type' | 'status' | 'reason' | 'message'> & {
  readonly observedGeneration?: number | undefined;
};

/** The whole list anew, or undefined if it says the same already. `ours`: all types that we may have written. */
export function mergeConditions(
  present: unknown,
  wanted: readonly ConditionToWrite[],
  ours: readonly string[],
  now: number,
): readonly unknown[] | undefined {
  const before = Array.isArray(present) ? present.filter(isObject) : [];
  const written = wanted.map((condition) => write(condition, before, now));
  const missing = written.filter(({ type }) => !before.some((other) => other.type === type));
  const replaced = before.flatMap((condition) => {
    const own = written.find(({ type }) => type === condition.type);
    if (own !== undefined) return [own];
    return ours.some((type) => type === condition.type) ? [] : [condition];
  });
  const merged = [...replaced, ...missing];
  return isSameJson(merged, before) ? undefined : merged;
}

function write(
  { type, status, reason, message, observedGeneration }: ConditionToWrite,
  before: readonly RawCondition[],
  now: number,
) {
  const own = before.find((condition) => condition.type === type);
  const since = own?.status === status ? own.lastTransitionTime : undefined;
  return {
    type,
    status,
    reason,
    message: fitMessage(message),
    lastTransitionTime: since ?? formatTimestamp(now),
    ...(observedGeneration === undefined ? {} : { observedGeneration }),
  };
}

/** As it came off the wire, with whatever else it has. */
interface RawCondition {
  readonly type?: unknown;
  readonly status?: unknown;
  readonly lastTransitionTime?: unknown;
}

function isObject(value: unknown): value is RawCondition {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
