/**
 * What a watch has told so far, together with our own writes that it has not told yet.
 *
 * The rule: *visible = the watch's state at its position, overlaid with our own writes that are newer than that
 * position.* A write enters the overlay only if its version is newer than the position (else the watch has told it,
 * and perhaps more, already), and leaves it when the position has reached it. So our writes are visible at once,
 * an older event never hides one, a late answer never hides a newer event, and the end is always the server's state.
 * Versions are ordered as `resource-version.ts` says; where they cannot be, writes simply wait for their event.
 * A removal has no version of its own: it stays until the watch has passed the last version of the object removed
 * and holds no object of that uid.
 */

import type { KubeObject } from '../model/kube-object.ts';
import type { Projection } from './cluster.ts';
import { keyOf } from './resource.ts';
import { isNewer } from './resource-version.ts';

/** `before` undefined: it came; `after` undefined: it went. Called at once and in order; work belongs elsewhere. */
export type StoreListener<T> = (key: string, before: T | undefined, after: T | undefined) => void;

interface OwnWrite<T> {
  /** Undefined: we removed it. */
  readonly object: T | undefined;
  readonly version: string;
  readonly uid: string | undefined;
  /** Counts own writes: tells those before a list was asked for from those after. */
  readonly number: number;
}

export interface StoreOptions<T extends KubeObject> {
  /** What is kept of each object; everything when absent. */
  readonly project?: Projection<T>;
  /** A listener that throws keeps neither the others nor the watch from going on. */
  readonly onListenerError?: (error: unknown) => void;
}

export class Store<T extends KubeObject = KubeObject> {
  readonly project: Projection<T>;
  #told = new Map<string, T>();
  #position: string | undefined;
  readonly #own = new Map<string, OwnWrite<T>>();
  #writes = 0;
  readonly #listeners = new Set<StoreListener<T>>();
  readonly #onListenerError: (error: unknown) => void;

  constructor({ project, onListenerError = () => {} }: StoreOptions<T> = {}) {
    this.project = project ?? ((object) => object as T);
    this.#onListenerError = onListenerError;
  }

  /** Version up to which the watch has told everything; undefined before the first list. */
  get position(): string | undefined {
    return this.#position;
  }

  get(key: string): T | undefined {
    // Nearly always empty, and this is asked for every event.
    const own = this.#own.size === 0 ? undefined : this.#own.get(key);
    return own === undefined ? this.#told.get(key) : own.object;
  }

  *entries(): Generator<readonly [key: string, object: T]> {
    for (const [key, object] of this.#told) if (!this.#own.has(key)) yield [key, object];
    for (const [key, { object }] of this.#own) if (object !== undefined) yield [key, object];
  }

  *values(): Generator<T> {
    for (const [, object] of this.entries()) yield object;
  }

  get size(): number {
    let size = this.#told.size;
    for (const [key, { object }] of this.#own) {
      size += (object === undefined ? 0 : 1) - (this.#told.has(key) ? 1 : 0);
    }
    return size;
  }

  /** Own writes that the watch has not told yet. */
  get unconfirmed(): number {
    return this.#own.size;
  }

  subscribe(listener: StoreListener<T>): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** What the server answered to a write of ours: visible at once. */
  put(answer: KubeObject): void {
    const { uid, resourceVersion: version } = answer.metadata;
    if (version === undefined || !this.#isAhead(version)) return;
    const key = keyOf(answer.metadata);
    const earlier = this.#own.get(key);
    if (earlier !== undefined && isNewer(earlier.version, version)) return;
    const object = this.project(answer);
    this.#overlay(key, { object, version, uid, number: this.#writes + 1 });
  }

  /** We deleted this very object, and the server said it is gone. */
  remove({ metadata }: KubeObject): void {
    const key = keyOf(metadata);
    const current = this.get(key);
    if (current === undefined || current.metadata.uid !== metadata.uid) return;
    const { uid, resourceVersion: version } = current.metadata;
    if (version === undefined) return;
    this.#overlay(key, { object: undefined, version, uid, number: this.#writes + 1 });
  }

  #overlay(key: string, write: OwnWrite<T>): void {
    const before = this.get(key);
    this.#writes = write.number;
    this.#own.set(key, write);
    this.#notify(key, before, write.object);
  }

  /** For `replace`: to be taken before the list is asked for. */
  checkpoint(): number {
    return this.#writes;
  }

  /** The watch told that an object is now like this. */
  tellPresent(object: T): void {
    const key = keyOf(object.metadata);
    const before = this.get(key);
    this.#told.set(key, object);
    this.#settleTold(key, object, before, object);
  }

  /** The watch told that it is no more. */
  tellAbsent(object: T): void {
    const key = keyOf(object.metadata);
    const before = this.get(key);
    this.#told.delete(key);
    this.#settleTold(key, object, before, undefined);
  }

  /** The watch told that it has come this far. */
  tellPosition(version: string): void {
    this.#position = version;
    this.settle();
  }

  /** Lets go of own writes that the watch has passed; cheap enough for each bunch of events, not for each event. */
  settle(): void {
    for (const key of this.#own.keys()) this.#letGo(key);
  }

  /**
   * The whole state at `version`, from a list that was asked for at `checkpoint`. A list sees every write that was
   * answered before it was asked for, so earlier ones are in it even if the server's versions started over, as they
   * do when it is restored from a backup.
   */
  replace(objects: Map<string, T>, version: string, checkpoint: number): void {
    const before = new Map(this.entries());
    this.#told = objects;
    this.#position = version;
    for (const [key, write] of this.#own) {
      if (write.number <= checkpoint || this.#isConfirmed(key, write)) this.#own.delete(key);
    }
    for (const [key, object] of before) this.#notify(key, object, this.get(key));
    for (const [key, object] of this.entries()) {
      if (!before.has(key)) this.#notify(key, undefined, object);
    }
  }

  /** The object in hand if it is the very version asked for: a relist then keeps one copy instead of two. */
  findSame({ metadata }: T): T | undefined {
    const known = this.#told.get(keyOf(metadata));
    return known !== undefined && isSameVersion(known, metadata) ? known : undefined;
  }

  #settleTold(key: string, { metadata }: T, before: T | undefined, told: T | undefined): void {
    this.#position = metadata.resourceVersion ?? this.#position;
    const write = this.#own.size === 0 ? undefined : this.#own.get(key);
    const isConfirmed = write === undefined || this.#isConfirmed(key, write);
    if (write !== undefined && isConfirmed) this.#own.delete(key);
    this.#notify(key, before, isConfirmed ? told : write.object);
  }

  #letGo(key: string): void {
    const write = this.#own.get(key);
    if (write === undefined || !this.#isConfirmed(key, write)) return;
    this.#own.delete(key);
    this.#notify(key, write.object, this.#told.get(key));
  }

  #isConfirmed(key: string, { object, version, uid }: OwnWrite<T>): boolean {
    if (this.#isAhead(version)) return false;
    return object !== undefined || this.#told.get(key)?.metadata.uid !== uid;
  }

  /** Before the first list everything is ahead. */
  #isAhead(version: string): boolean {
    return this.#position === undefined || isNewer(version, this.#position);
  }

  #notify(key: string, before: T | undefined, after: T | undefined): void {
    if (before === after) return;
    if (before !== undefined && after !== undefined) {
      if (isSameVersion(before, after.metadata)) return;
      if (before.metadata.uid !== after.metadata.uid) {
        this.#call(key, before, undefined);
        this.#call(key, undefined, after);
        return;
      }
    }
    this.#call(key, before, after);
  }

  #call(key: string, before: T | undefined, after: T | undefined): void {
    for (const listener of this.#listeners) {
      try {
        listener(key, before, after);
      } catch (error) {
        this.#onListenerError(error);
      }
    }
  }
}

function isSameVersion(left: KubeObject, right: KubeObject['metadata']): boolean {
  const { uid, resourceVersion } = left.metadata;
  return resourceVersion === right.resourceVersion && uid === right.uid;
}
