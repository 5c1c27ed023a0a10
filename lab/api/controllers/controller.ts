/** A controller: names of objects wait in a queue, each once, and are brought to their wished state one by one. */

import { ApiError } from '../api-error.ts';
import type { ApiObject } from '../api-object.ts';
import type { Core } from '../rest/core.ts';
import { Hands } from './hands.ts';

export interface Controller {
  readonly name: string;
  /** By collection: the keys to look at again when an object there changes, is new, or is gone. */
  readonly watches: Readonly<Record<string, (object: ApiObject, hands: Hands) => Iterable<string>>>;
  /** Returns after how many milliseconds to look again even if nothing changes, if at all. */
  readonly reconcile: (hands: Hands, key: string) => number | undefined;
}

const retryMs = 1000;

export function keyOfObject({ metadata: { namespace, name = '' } }: ApiObject): string {
  return namespace === undefined ? name : `${namespace}/${name}`;
}

export const itself = (object: ApiObject): readonly string[] => [keyOfObject(object)];

/** Returns what stops it. */
export function startController(core: Core, controller: Controller): () => void {
  const hands = new Hands(core, controller.name);
  const waiting = new Map<string, { readonly at: number; readonly cancel: () => void }>();
  const enqueue = (key: string, delayMs: number) => {
    const at = core.clock.monotonic() + delayMs;
    const known = waiting.get(key);
    if (known !== undefined && known.at <= at) return;
    known?.cancel();
    const cancel = core.clock.after(delayMs, () => {
      waiting.delete(key);
      const again = attempt(controller, hands, key);
      if (again !== undefined) enqueue(key, again);
    });
    waiting.set(key, { at, cancel });
  };
  const stops = Object.entries(controller.watches).map(([name, keysOf]) => {
    const collection = core.store.collection(name);
    const look = (object: ApiObject) => {
      for (const key of keysOf(object, hands)) enqueue(key, 0);
    };
    for (const [, object] of collection.entries()) look(object);
    return collection.subscribe(({ object, previous }) => {
      if (previous !== undefined) look(previous);
      if (object !== undefined) look(object);
    });
  });
  return () => {
    for (const stop of stops) stop();
    for (const { cancel } of waiting.values()) cancel();
    waiting.clear();
  };
}

/** What the server refuses may be accepted later, when a namespace or a quota allows it. */
function attempt(controller: Controller, hands: Hands, key: string): number | undefined {
  try {
    return controller.reconcile(hands, key);
  } catch (error) {
    if (error instanceof ApiError) return retryMs;
    throw error;
  }
}
