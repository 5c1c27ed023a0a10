import { fitMessage } from '../model/fit-bytes.ts';

/** metav1.Condition, as it stands in `status.conditions`. */
export interface Condition {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason: string;
  readonly message: string;
  readonly lastTransitionTime: string;
  readonly observedGeneration?: number;
}

export type ConditionWish = Omit<Condition, 'lastTransitionTime'>;

/**
 * The conditions with this one set. Its time changes only with its status; if nothing changes at all, the very same
 * list comes back, so that whoever compares writes nothing. Others' conditions keep their place.
 */
export function setCondition(
  conditions: readonly Condition[],
  wanted: ConditionWish,
  nowMs: number,
): readonly Condition[] {
  const wish = { ...wanted, message: fitMessage(wanted.message) };
  const known = conditions.find(({ type }) => type === wish.type);
  if (known === undefined) return [...conditions, { ...wish, lastTransitionTime: toTime(nowMs) }];
  if (isSame(known, wish)) return conditions;
  const lastTransitionTime =
    known.status === wish.status ? known.lastTransitionTime : toTime(nowMs);
  return conditions.map((each) => (each === known ? { ...wish, lastTransitionTime } : each));
}

export function removeCondition(
  conditions: readonly Condition[],
  type: string,
): readonly Condition[] {
  return conditions.some((each) => each.type === type)
    ? conditions.filter((each) => each.type !== type)
    : conditions;
}

function isSame(known: Condition, wish: ConditionWish): boolean {
  return (
    known.status === wish.status &&
    known.reason === wish.reason &&
    known.message === wish.message &&
    known.observedGeneration === wish.observedGeneration
  );
}

/** metav1.Time: whole seconds; the server would cut a fraction off, and we would see a difference for ever. */
function toTime(epochMs: number): string {
  return new Date(epochMs).toISOString().replace(/\.\d+Z$/, 'Z');
}
