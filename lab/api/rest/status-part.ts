/** Kinds with a status of their own take it only through `/status`, and nothing else there. */

import type { ApiObject } from '../api-object.ts';
import { cloneJson, type JsonObject } from '../json.ts';
import type { Resource } from '../resource.ts';
import { decodeTyped } from '../types/decode-typed.ts';

/** The status of an object that nobody has looked at: absent, or as its type prints an empty one. */
export function resetStatus(resource: Resource, object: ApiObject): void {
  delete object.status;
  const field = resource.schema.fields?.get('status');
  if (field?.presence !== 'always') return;
  object.status = decodeTyped(field.schema, {}).value;
}

/** Everything but the status and the metadata as it was. */
export function keepAllButStatus(object: ApiObject, old: ApiObject): void {
  const status = object.status;
  for (const field of Object.keys(object)) {
    if (field !== 'metadata') delete object[field];
  }
  const kept = cloneJson(old) as JsonObject;
  for (const field of Object.keys(kept)) {
    if (field !== 'metadata' && field !== 'status') object[field] = kept[field];
  }
  if (status !== undefined) object.status = status;
}

export function keepStatus(object: ApiObject, old: ApiObject): void {
  if (old.status === undefined) delete object.status;
  else object.status = cloneJson(old.status);
}
