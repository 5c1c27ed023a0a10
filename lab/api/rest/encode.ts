/** Objects as text. Each stored version is printed once, however many lists and watches show it. */

import type { ApiObject } from '../api-object.ts';

const bodies = new WeakMap<ApiObject, string>();

/** Without kind and apiVersion, as built-in kinds stand in lists. */
export function encodeItem(object: ApiObject): string {
  const known = bodies.get(object);
  if (known !== undefined) return known;
  const { kind: _kind, apiVersion: _apiVersion, ...rest } = object;
  const text = JSON.stringify(rest);
  // What is not stored may still change.
  if (Object.isFrozen(object)) bodies.set(object, text);
  return text;
}

export function encodeObject(object: ApiObject): string {
  const { kind, apiVersion } = object;
  const head = `"kind":${JSON.stringify(kind)},"apiVersion":${JSON.stringify(apiVersion)}`;
  const item = encodeItem(object);
  return item === '{}' ? `{${head}}` : `{${head},${item.slice(1)}`;
}
