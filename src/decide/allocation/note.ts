import type { AllocationReason, RejectionReason, refusalReasons } from '../../model/reasons.ts';
import type { PlannedEvent } from './allocation-plan.ts';

/** Something the owner of a Service should know: part of its condition, and an Event when it is new there. */
export interface Note {
  /** The same for as long as it holds: what was said before is not said again. */
  readonly text: string;
  readonly event?: PlannedEvent;
  /** The reason of the condition, unless a graver note has one. */
  readonly reason?: AllocationReason | (typeof refusalReasons)[RejectionReason];
  /** The Service does not have what it must have. */
  readonly isFault?: boolean;
  readonly rejection?: { readonly pool: string | undefined; readonly reason: RejectionReason };
}

export function warn(text: string, reason?: AllocationReason): Note {
  const event = { reason: 'ConfigurationWarning', message: text } as const;
  return reason === undefined ? { text, event } : { text, event, reason };
}
