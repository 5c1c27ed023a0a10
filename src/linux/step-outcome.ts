import type { AddressChange } from '../model/address.ts';
import type { Step } from './address-steps.ts';
import { errnoName } from './errno-name.ts';
import type { ChangeFailure } from './kernel.ts';
import { errno } from './libc.ts';
import type { RequestFailure } from './netlink-replies.ts';

export interface Outcome {
  readonly failures: readonly ChangeFailure[];
  /** Additions that met an address nobody expected there: to be planned again with what is held. */
  readonly collisions: readonly AddressChange[];
}

/** What failed requests mean for the changes they are steps of: each change fails once, with the first reason. */
export function judgeSteps(steps: readonly Step[], failed: readonly RequestFailure[]): Outcome {
  const failures = new Map<AddressChange, ChangeFailure>();
  const collisions = new Set<AddressChange>();
  for (const failure of failed) {
    const step = steps[failure.index];
    if (step === undefined || isTolerated(step, failure)) continue;
    if (isCollision(step, failure)) collisions.add(step.change);
    else if (!failures.has(step.change)) failures.set(step.change, changeFailure(step, failure));
  }
  return {
    failures: [...failures.values()],
    collisions: [...collisions].filter((change) => !failures.has(change)),
  };
}

function isTolerated(step: Step, failure: RequestFailure): boolean {
  return failure.isAnswered && step.tolerated.includes(failure.errno);
}

function isCollision(step: Step, failure: RequestFailure): boolean {
  return failure.isAnswered && failure.errno === errno.EEXIST && step.change.kind !== 'remove';
}

function changeFailure({ change, purpose }: Step, failure: RequestFailure): ChangeFailure {
  const name = errnoName(failure.errno);
  const words = failure.isAnswered ? (failure.words ?? name) : 'no answer from the kernel';
  return {
    change,
    code: codeOf(failure),
    errno: name,
    words: purpose === undefined ? words : `could not ${purpose}: ${words}`,
  };
}

function codeOf(failure: RequestFailure): ChangeFailure['code'] {
  if (!failure.isAnswered) return 'Unknown';
  return failure.errno === errno.ENODEV ? 'LinkGone' : 'Refused';
}
