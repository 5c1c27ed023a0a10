/** Finalizers by merge patch. A patch replaces the whole list, so it holds only for the version it was made from. */

import type { KubeObject } from '../model/kube-object.ts';
import { type MergePatch, onlyIfUnchanged } from './patch.ts';

/** Undefined when it is there already. */
export function addFinalizer(object: KubeObject, name: string): MergePatch | undefined {
  const { finalizers = [] } = object.metadata;
  if (finalizers.includes(name)) return undefined;
  return onlyIfUnchanged(object, { metadata: { finalizers: [...finalizers, name] } });
}

/** Undefined when it is not there. */
export function removeFinalizer(object: KubeObject, name: string): MergePatch | undefined {
  const { finalizers = [] } = object.metadata;
  if (!finalizers.includes(name)) return undefined;
  const others = finalizers.filter((each) => each !== name);
  return onlyIfUnchanged(object, { metadata: { finalizers: others.length > 0 ? others : null } });
}
