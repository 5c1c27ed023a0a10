/** The port to the API server: what the programs ask of it, and nothing more. */

import type { KubeObject } from '../model/kube-object.ts';
import type { Patch } from './patch.ts';
import type { ObjectRef, Resource } from './resource.ts';
import type { WatchEvent } from './watch-event.ts';

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  /** Does not wait behind a burst of other calls: for leases, which expire. */
  readonly isUrgent?: boolean;
  /** Longest wait for the answer to begin. */
  readonly withinMs?: number;
}

export interface WriteOptions extends CallOptions {
  readonly subresource?: 'status';
  /** Checked and answered as if done, but nothing is kept. */
  readonly isDryRun?: boolean;
  readonly fieldManager?: string;
  /** The server, too, gives the write up after `withinMs`: nothing comes through long after its sender is dead. */
  readonly isGivenUp?: boolean;
}

export interface Selection {
  /** All namespaces when absent. */
  readonly namespace?: string | undefined;
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
}

/** Makes of each object, right after it was decoded, the part that is to be kept. */
export type Projection<T extends KubeObject> = (object: KubeObject) => T;

export interface ListOptions<T extends KubeObject> extends CallOptions, Selection {
  /** Objects per page; Infinity asks for all at once. */
  readonly pageSize?: number;
  readonly project?: Projection<T>;
  /** Asks again by itself when the server says "later"; on unless the caller has a pace of its own. */
  readonly isPatient?: boolean;
}

export interface ListPage<T extends KubeObject> {
  readonly items: readonly T[];
  /** Version of the whole list: a watch goes on from here. */
  readonly version: string;
}

export interface WatchOptions<T extends KubeObject> extends CallOptions, Selection {
  /** Events after this version; with `initialEvents` the state comes first and no version is given. */
  readonly version?: string;
  readonly isWithInitialEvents?: boolean;
  /** After this time the server ends the watch in good order. */
  readonly timeoutSeconds: number;
  /** Longest time without a byte; must be well above the minute in which the server sends bookmarks. */
  readonly silenceMs: number;
  readonly project?: Projection<T>;
}

export interface DeleteOptions extends CallOptions {
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
  readonly propagation?: 'Background' | 'Foreground' | 'Orphan';
  readonly graceSeconds?: number;
}

/** A deletion that finalizers or a grace period hold up leaves the object, marked as being deleted. */
export type DeleteOutcome<T extends KubeObject> =
  | { readonly isGone: true }
  | { readonly isGone: false; readonly object: T };

/** Every method throws an `ApiError`, or the signal's reason once that is aborted. Objects have no managedFields. */
export interface Cluster {
  get<T extends KubeObject>(
    resource: Resource<T>,
    ref: ObjectRef,
    options?: CallOptions,
  ): Promise<T>;
  /** Page by page, from one consistent version. */
  list<T extends KubeObject>(
    resource: Resource<T>,
    options?: ListOptions<T>,
  ): AsyncIterable<ListPage<T>>;
  /**
   * Calls back with as many events at a time as came together; resolves when the server ends the watch. What the
   * callback throws ends the watch and is passed on.
   */
  watch<T extends KubeObject>(
    resource: Resource<T>,
    options: WatchOptions<T>,
    onEvents: (events: readonly WatchEvent<T>[]) => void,
  ): Promise<void>;
  create<T extends KubeObject>(
    resource: Resource<T>,
    object: T,
    options?: Omit<WriteOptions, 'subresource'>,
  ): Promise<T>;
  /** A `metadata.resourceVersion` in the object is a precondition. */
  replace<T extends KubeObject>(
    resource: Resource<T>,
    object: T,
    options?: WriteOptions,
  ): Promise<T>;
  patch<T extends KubeObject>(
    resource: Resource<T>,
    ref: ObjectRef,
    patch: Patch,
    options?: WriteOptions,
  ): Promise<T>;
  delete<T extends KubeObject>(
    resource: Resource<T>,
    ref: ObjectRef,
    options?: DeleteOptions,
  ): Promise<DeleteOutcome<T>>;
  /** Any other path, as text: `/version`, `/readyz`, a pod's port through the server's proxy. */
  getText(path: string, options?: CallOptions): Promise<string>;
}
