import { isJsonObject, type Json, type JsonObject } from '../json.ts';

/** JSON Merge Patch (RFC 7396): null removes, objects merge, everything else replaces. */
export function applyMergePatch(target: Json | undefined, patch: Json): Json {
  if (!isJsonObject(patch)) return patch;
  const merged: JsonObject = isJsonObject(target) ? { ...target } : {};
  for (const [field, value] of Object.entries(patch)) {
    if (value === null || value === undefined) delete merged[field];
    else merged[field] = applyMergePatch(merged[field], value);
  }
  return merged;
}
