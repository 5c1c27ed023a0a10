/** Which facts people have been told about in Events, of all Services or of some: each is told when it becomes true. */

import {
  type EventFacts,
  planEvents,
  type ServiceEvent,
} from '../decide/announcement/plan-events.ts';
import type { Scope } from './service-index.ts';

export class ToldEvents {
  /** By the uid of the Service; undefined: this process has told nothing yet. */
  #told: Map<string, ReadonlySet<string>> | undefined;

  /** `scope`: the facts are about these Services alone, and what was told of others stays told. */
  plan(facts: EventFacts, scope: Scope | undefined): readonly ServiceEvent[] {
    const uids = scope && facts.loadBalancers.map(({ identity }) => identity.uid);
    const { events, told } = planEvents(facts, this.#toldOf(uids));
    const byUid = Map.groupBy(told, uidOf);
    if (uids === undefined || this.#told === undefined) this.#told = new Map();
    for (const uid of uids ?? []) this.#told.delete(uid);
    for (const [uid, keys] of byUid) this.#told.set(uid, new Set(keys));
    return events;
  }

  #toldOf(uids: readonly string[] | undefined): ReadonlySet<string> | undefined {
    const all = this.#told;
    if (all === undefined) return undefined;
    const chosen =
      uids === undefined ? [...all.values()] : uids.flatMap((uid) => all.get(uid) ?? []);
    return new Set(chosen.flatMap((keys) => [...keys]));
  }
}

/** Each key begins with it. */
function uidOf(key: string): string {
  return key.slice(0, key.indexOf(' '));
}
