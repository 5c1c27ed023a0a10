/**
 * Which members live, judged each time that a Lease changes, so that a renewal counts from when it was seen, and when
 * one would end. Renewals alone are no reason for anything else to look at the world.
 */

import {
  judgeMembers,
  type Liveness,
  type MemberJudgement,
  type MemberObservations,
} from '../decide/announcement/judge-members.ts';
import type { Member } from '../model/member.ts';
import type { Cancel, Clock } from '../runtime/clock.ts';

export interface MemberWatchSetup {
  readonly me: string;
  readonly clock: Clock;
  readonly durationMs: number;
  readonly members: () => readonly Member[];
  readonly renewedAt: () => number;
  /** Whether the watch has told of our own renewal: one that is open and silent shows nobody else's either. */
  readonly isConfirmed: () => boolean;
  /** Someone came to life or expired. */
  readonly onChange: () => void;
}

export class MemberWatch {
  readonly #setup: MemberWatchSetup;
  #observations: MemberObservations | undefined;
  #liveness: ReadonlyMap<string, Liveness> | undefined;
  /** Of our own Lease, as far as the watch has told of it. */
  #renewedAt = -Infinity;
  #cancel: Cancel = () => {};

  constructor(setup: MemberWatchSetup) {
    this.#setup = setup;
  }

  /** When the last renewal of our own Lease began that the watch has told of: what it tells is not older than that. */
  get confirmedAt(): number {
    return this.#renewedAt;
  }

  judge(): MemberJudgement {
    const { me, clock, durationMs, members, renewedAt, isConfirmed, onChange } = this.#setup;
    if (isConfirmed()) this.#renewedAt = renewedAt();
    const facts = {
      me,
      members: members(),
      renewedAt: this.#renewedAt,
      durationMs,
      now: clock.monotonic(),
    };
    const judgement = judgeMembers(facts, this.#observations);
    this.#observations = judgement.observations;
    const before = this.#liveness;
    this.#liveness = judgement.liveness;
    if (before === undefined || !areAlike(before, judgement.liveness)) onChange();
    this.#judgeAgain(judgement.wakeAt - facts.now);
    return judgement;
  }

  stop(): void {
    this.#cancel();
  }

  #judgeAgain(inMs: number): void {
    this.#cancel();
    this.#cancel = this.#setup.clock.after(Math.max(inMs, 1), () => this.judge());
  }
}

function areAlike(one: ReadonlyMap<string, Liveness>, other: typeof one): boolean {
  if (one.size !== other.size) return false;
  for (const [node, liveness] of one) if (other.get(node) !== liveness) return false;
  return true;
}
