/** The ways to change part of an object. */

import type { KubeObject } from '../model/kube-object.ts';

export type Patch =
  | { readonly type: 'merge'; readonly body: MergePatch }
  | { readonly type: 'strategic'; readonly body: MergePatch }
  | { readonly type: 'json'; readonly operations: readonly JsonPatchOperation[] }
  | { readonly type: 'apply'; readonly body: object; readonly isForced: boolean };

/** RFC 7396: null removes a field, a list replaces the list. */
export type MergePatch = { readonly metadata?: object; readonly [field: string]: unknown };

/** RFC 6902; `test` makes the whole patch fail if the value is another one. */
export type JsonPatchOperation =
  | { readonly op: 'add' | 'replace' | 'test'; readonly path: string; readonly value: unknown }
  | { readonly op: 'remove'; readonly path: string }
  | { readonly op: 'move' | 'copy'; readonly from: string; readonly path: string };

export const mergePatch = (body: MergePatch): Patch => ({ type: 'merge', body });

/**
 * Kubernetes' own: like a merge patch, but lists of things with a key are merged by it, so that writers of different
 * conditions do not overwrite each other; `$patch: 'delete'` beside the key removes one. Not for custom resources.
 */
export const strategicPatch = (body: MergePatch): Patch => ({ type: 'strategic', body });

export const jsonPatch = (...operations: readonly JsonPatchOperation[]): Patch => ({
  type: 'json',
  operations,
});

/** Server-side apply: needs a `fieldManager`; `isForced` takes over fields that others manage. */
export const applyPatch = (body: object, { isForced = false } = {}): Patch => ({
  type: 'apply',
  body,
  isForced,
});

export const patchContentType = {
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  json: 'application/json-patch+json',
  apply: 'application/apply-patch+yaml',
} as const;

/** One step of a JSON pointer (RFC 6901): annotation names contain slashes. */
export function pointerStep(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}

/**
 * The same merge patch, refused with a conflict unless the object is still the one in hand: the same uid, and with
 * `version` also unchanged since.
 */
export function onlyIfUnchanged(
  { metadata: { uid, resourceVersion } }: KubeObject,
  body: MergePatch,
  check: 'uid' | 'version' = 'version',
): MergePatch {
  if (check === 'version' && resourceVersion === undefined) {
    throw new TypeError('an object without resourceVersion cannot be a precondition');
  }
  const metadata = {
    ...body.metadata,
    ...(uid === undefined ? {} : { uid }),
    ...(check === 'version' ? { resourceVersion } : {}),
  };
  return { ...body, metadata };
}
