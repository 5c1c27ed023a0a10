/**
 * The database: objects by collection and key, each change under the next of one line of revisions. Older versions
 * stay readable, and changes can be followed from any revision, until they are compacted away.
 */

import type { ApiObject } from '../api-object.ts';
import { freezeJson } from '../json.ts';
import { Collection } from './collection.ts';

export interface Change {
  readonly revision: number;
  readonly key: string;
  /** Undefined once deleted. */
  readonly object: ApiObject | undefined;
  /** Undefined when created. */
  readonly previous: ApiObject | undefined;
}

export type ChangeListener = (change: Change) => void;

export class Store {
  readonly #collections = new Map<string, Collection>();
  #revision = 1;
  #compacted = 0;

  /** Of the latest change anywhere. */
  get revision(): number {
    return this.#revision;
  }

  /** Nothing before this revision can be read or followed any more. */
  get compacted(): number {
    return this.#compacted;
  }

  collection(name: string): Collection {
    const existing = this.#collections.get(name);
    if (existing !== undefined) return existing;
    const created = new Collection();
    this.#collections.set(name, created);
    return created;
  }

  collections(): IterableIterator<[string, Collection]> {
    return this.#collections.entries();
  }

  /** Stores the object with its new resourceVersion, and returns it so. */
  put(collection: string, key: string, object: ApiObject): ApiObject {
    this.#revision += 1;
    object.metadata.resourceVersion = String(this.#revision);
    this.collection(collection).append(this.#revision, key, freezeJson(object));
    return object;
  }

  remove(collection: string, key: string): void {
    this.#revision += 1;
    this.collection(collection).append(this.#revision, key, undefined);
  }

  compact(revision = this.#revision): void {
    this.#compacted = Math.max(this.#compacted, Math.min(revision, this.#revision));
    for (const collection of this.#collections.values()) collection.compact(this.#compacted);
  }
}
