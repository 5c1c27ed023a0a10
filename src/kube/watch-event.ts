import type { KubeObject } from '../model/kube-object.ts';
import { type ApiError, type ApiStatus, refusal } from './api-error.ts';
import type { Projection } from './cluster.ts';
import { dropManagedFields, parseJson } from './parse-json.ts';

export type WatchEvent<T extends KubeObject> =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: T }
  /** Everything up to this version was sent; `isInitialEnd` after the last of the initial events. */
  | { readonly type: 'BOOKMARK'; readonly version: string; readonly isInitialEnd: boolean }
  | { readonly type: 'ERROR'; readonly error: ApiError };

const initialEventsEnd = 'k8s.io/initial-events-end';

/** Throws for anything but an event in full: a line that cannot be read must end the watch, not be skipped. */
export function decodeWatchEvent<T extends KubeObject>(
  line: Buffer,
  operation: string,
  project: Projection<T>,
): WatchEvent<T> {
  const { type, object } = parseJson(line) as { type?: unknown; object?: KubeObject };
  if (typeof object !== 'object' || object === null) throw new SyntaxError('event without object');
  switch (type) {
    case 'ADDED':
    case 'MODIFIED':
    case 'DELETED':
      checkIdentity(object);
      return { type, object: project(dropManagedFields(object)) };
    case 'BOOKMARK':
      return decodeBookmark(object);
    case 'ERROR':
      return { type, error: decodeError(object as ApiStatus, operation) };
    default:
      throw new SyntaxError(`event of unknown type ${JSON.stringify(type)}`);
  }
}

function checkIdentity({ metadata }: KubeObject): void {
  if (typeof metadata?.name !== 'string' || typeof metadata.resourceVersion !== 'string') {
    throw new SyntaxError('object without name or resourceVersion');
  }
}

function decodeBookmark({ metadata }: KubeObject): WatchEvent<never> {
  const version = metadata?.resourceVersion;
  if (typeof version !== 'string') throw new SyntaxError('bookmark without resourceVersion');
  const isInitialEnd = metadata.annotations?.[initialEventsEnd] === 'true';
  return { type: 'BOOKMARK', version, isInitialEnd };
}

function decodeError(status: ApiStatus, operation: string): ApiError {
  return refusal(operation, status.code ?? 500, status);
}
