import type { KubeObject } from '../model/kube-object.ts';
import { keyOf } from './resource.ts';
import type { Store } from './store.ts';

/**
 * A whole state on its way in. It is collected aside and put into the store at once, so that nobody sees half a
 * list; objects that did not change are shared with the store, so that a second list costs little memory.
 */
export class ReflectorIntake<T extends KubeObject> {
  readonly #store: Store<T>;
  readonly #checkpoint: number;
  readonly #objects = new Map<string, T>();

  /** To be made before the state is asked for. */
  constructor(store: Store<T>) {
    this.#store = store;
    this.#checkpoint = store.checkpoint();
  }

  get size(): number {
    return this.#objects.size;
  }

  add(object: T): void {
    this.#objects.set(keyOf(object.metadata), this.#store.findSame(object) ?? object);
  }

  drop(object: T): void {
    this.#objects.delete(keyOf(object.metadata));
  }

  finish(version: string): void {
    this.#store.replace(this.#objects, version, this.#checkpoint);
  }
}
