/** What address sources other than our own ranges say to Services that wait for them. */

import type { AllocationPlan } from '../decide/allocation/allocation-plan.ts';
import type { SourceAnswer } from '../decide/allocation/allocation-state.ts';

const notYet = 'is not available yet: only ranges given in ServiceGroups are';

export class SourceAnswers {
  readonly #answers = new Map<string, SourceAnswer>();

  /** By the Service's key. */
  get answers(): ReadonlyMap<string, SourceAnswer> {
    return this.#answers;
  }

  forget(service: string): void {
    this.#answers.delete(service);
  }

  /** Asks what the plan waits for; true when there is an answer that the next plan should hear. */
  ask({ decisions }: AllocationPlan): boolean {
    let isNew = false;
    for (const decision of decisions) {
      if (decision.kind === 'ignore') continue;
      const wait = decision.waitsFor.find(({ kind }) => kind === 'source');
      if (wait?.kind !== 'source') continue;
      const { pool } = wait.request;
      const { key } = decision.service;
      isNew ||= this.#answers.get(key)?.pool !== pool;
      this.#answers.set(key, { kind: 'refusal', pool, message: notYet });
    }
    return isNew;
  }
}
