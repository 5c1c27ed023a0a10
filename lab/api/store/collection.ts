import type { ApiObject } from '../api-object.ts';
import type { Change, ChangeListener } from './store.ts';

interface Version {
  readonly revision: number;
  readonly object: ApiObject | undefined;
}

/** All objects of one kind, with their history. Keys sort as in the real database: `namespace/name`. */
export class Collection {
  readonly #versions = new Map<string, Version[]>();
  readonly #listeners = new Set<ChangeListener>();
  #log: Change[] = [];
  #sortedKeys: string[] | undefined;
  #size = 0;

  /** How many objects there are now. */
  get size(): number {
    return this.#size;
  }

  get(key: string): ApiObject | undefined {
    return this.#versions.get(key)?.at(-1)?.object;
  }

  getAt(key: string, revision: number): ApiObject | undefined {
    return this.#versions.get(key)?.findLast((version) => version.revision <= revision)?.object;
  }

  /** Objects in key order, now or as they were at a revision; only keys that start with `prefix`, after `after`. */
  *entries({ prefix = '', after = '', revision = Infinity } = {}): Generator<[string, ApiObject]> {
    const keys = this.#keys();
    const [, start = ''] = [prefix, after].sort();
    for (let index = firstIndex(keys, start); index < keys.length; index += 1) {
      const key = keys[index] ?? '';
      if (!key.startsWith(prefix)) return;
      const object = revision === Infinity ? this.get(key) : this.getAt(key, revision);
      if (object !== undefined && key !== after) yield [key, object];
    }
  }

  append(revision: number, key: string, object: ApiObject | undefined): void {
    const versions = this.#versions.get(key) ?? [];
    const change: Change = { revision, key, object, previous: versions.at(-1)?.object };
    if (versions.length === 0) this.#addKey(key, versions);
    versions.push({ revision, object });
    this.#size += Number(object !== undefined) - Number(change.previous !== undefined);
    this.#log.push(change);
    for (const listener of [...this.#listeners]) listener(change);
  }

  /** Changes after `revision`, oldest first. */
  changesAfter(revision: number): readonly Change[] {
    const index = this.#log.findLastIndex((change) => change.revision <= revision);
    return this.#log.slice(index + 1);
  }

  subscribe(listener: ChangeListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Forgets versions that were overwritten, and changes that happened, at or before `revision`. */
  compact(revision: number): void {
    for (const [key, versions] of this.#versions) {
      const kept = versions.findLastIndex((version) => version.revision <= revision);
      if (kept > 0) versions.splice(0, kept);
      const isGone = versions.length === 1 && versions[0]?.object === undefined;
      if (isGone && (versions[0]?.revision ?? 0) <= revision) this.#versions.delete(key);
    }
    this.#sortedKeys = undefined;
    this.#log = this.#log.filter((change) => change.revision > revision);
  }

  #addKey(key: string, versions: Version[]): void {
    this.#versions.set(key, versions);
    this.#sortedKeys = undefined;
  }

  #keys(): readonly string[] {
    this.#sortedKeys ??= [...this.#versions.keys()].sort();
    return this.#sortedKeys;
  }
}

/** Of the first key that is not before `start`. */
function firstIndex(keys: readonly string[], start: string): number {
  let low = 0;
  let high = keys.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((keys[middle] ?? '') < start) low = middle + 1;
    else high = middle;
  }
  return low;
}
