/** What the plans of slots and conditions remember from one pass to the next, of all Services or of some. */

import {
  type NoteFacts,
  type NoteMemory,
  type NotePlan,
  planNotes,
} from '../decide/announcement/plan-notes.ts';
import { placeOf } from '../decide/failover/seen-addresses.ts';
import type { Scope } from './service-index.ts';

type Memory<M> = {
  readonly [Key in keyof M]: M[Key] extends ReadonlyMap<infer K, infer V> ? Map<K, V> : never;
};

export class NoteKeeper {
  #memory: Memory<NoteMemory> = copy(undefined);
  /** By Service: when there is more to write on it, since a pass over some Services; in ms on the monotonic clock. */
  readonly #dueAt = new Map<string, number>();

  /** `scope`: the facts are about these Services alone, and what is remembered of others stays. */
  plan(facts: NoteFacts, scope: Scope | undefined): NotePlan {
    const { missingSince } = this.#memory;
    if (scope === undefined) {
      const plan = planNotes(facts, this.#memory);
      this.#memory = copy(plan.memory);
      this.#dueAt.clear();
      return plan;
    }
    const own = [...scope.services].filter((key) => missingSince.has(key)).length;
    const plan = planNotes({ ...facts, othersPending: missingSince.size - own }, this.#memory);
    this.#merge(plan.memory, facts, scope);
    for (const key of scope.services) {
      if (plan.wakeAt < Infinity) this.#dueAt.set(key, plan.wakeAt);
      else this.#dueAt.delete(key);
    }
    return plan;
  }

  /** When there is more to write on a Service of which a pass over some Services told last. */
  get nextAt(): number {
    return this.#dueAt.values().reduce((least, at) => Math.min(least, at), Infinity);
  }

  /** Services on which there is more to write by then. */
  dueAt(time: number): readonly string[] {
    return [...this.#dueAt].filter(([, at]) => at <= time).map(([key]) => key);
  }

  #merge(news: NoteMemory, { loadBalancers }: NoteFacts, scope: Scope): void {
    const { absentSince, missingSince, unansweredSince, slotHistory } = this.#memory;
    const places = loadBalancers.flatMap(({ grant }) =>
      grant.slots.map(({ ip, node }) => placeOf(ip, node)),
    );
    replace(absentSince, [], news.absentSince);
    replace(missingSince, scope.services, news.missingSince);
    replace(unansweredSince, places, news.unansweredSince);
    replace(slotHistory, scope.ips, news.slotHistory);
  }
}

function replace<K, V>(all: Map<K, V>, keys: Iterable<K>, news: ReadonlyMap<K, V>): void {
  for (const key of keys) all.delete(key);
  for (const [key, value] of news) all.set(key, value);
}

function copy(memory: NoteMemory | undefined): Memory<NoteMemory> {
  return {
    absentSince: new Map(memory?.absentSince),
    missingSince: new Map(memory?.missingSince),
    unansweredSince: new Map(memory?.unansweredSince),
    slotHistory: new Map(memory?.slotHistory),
  };
}
