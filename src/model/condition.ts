/** Conditions of objects: what holds, since when, and why. */

import type { Cursor } from './cursor.ts';
import { parseTimestamp } from './timestamp.ts';

export interface Condition {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason: string;
  readonly message: string;
  readonly observedGeneration: number | undefined;
  /** Epoch ms. */
  readonly changedAt: number;
}

/** Ours and those of others; what cannot be read is left out. */
export function readConditions(cursor: Cursor): readonly Condition[] {
  return cursor.items().flatMap((item) => item.attempt(readCondition) ?? []);
}

function readCondition(cursor: Cursor): Condition {
  const at = cursor.fields(
    'type',
    'status',
    'reason',
    'message',
    'observedGeneration',
    'lastTransitionTime',
  );
  return {
    type: at.type.required().string() ?? '',
    status: at.status.required().oneOf(['True', 'False', 'Unknown']) ?? 'Unknown',
    reason: at.reason.string() ?? '',
    message: at.message.string() ?? '',
    observedGeneration: at.observedGeneration.integer({ min: 0, max: Number.MAX_SAFE_INTEGER }),
    changedAt: at.lastTransitionTime.parse(parseTimestamp) ?? 0,
  };
}
