import type { ObjectReference } from './event-object.ts';

const burst = 25;
const refillMs = 300_000;
const mostObjects = 2_000;

/** How many different events one object may have: a burst, then one in five minutes. */
export class EventBudget {
  readonly #buckets = new Map<string, { readonly tokens: number; readonly at: number }>();

  take({ kind, namespace = '', name }: ObjectReference, monotonic: number): boolean {
    const key = [kind, namespace, name].join('\n');
    const { tokens, at } = this.#buckets.get(key) ?? { tokens: burst, at: monotonic };
    const now = Math.min(burst, tokens + (monotonic - at) / refillMs);
    const left = now >= 1 ? now - 1 : now;
    this.#buckets.delete(key);
    this.#buckets.set(key, { tokens: left, at: monotonic });
    if (this.#buckets.size > mostObjects) this.#dropOldest();
    return now >= 1;
  }

  #dropOldest(): void {
    const oldest = this.#buckets.keys().next();
    if (oldest.done !== true) this.#buckets.delete(oldest.value);
  }
}
