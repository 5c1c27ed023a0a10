/** What an object was last given by `kubectl apply` without `--server-side`, as it noted itself. */

import type { ApiObject } from '../api-object.ts';
import { isJsonObject, type Json } from '../json.ts';
import type { Schema } from '../schema/schema.ts';
import { compareObjects } from './compare.ts';
import { emptySet, type FieldSet, recursiveDifference } from './field-set.ts';
import { fieldSetOf } from './field-set-of.ts';

const note = 'kubectl.kubernetes.io/last-applied-configuration';

/** Fields that kubectl set so, and nobody has changed since, it may take over without a conflict. */
export function lastAppliedFields(schema: Schema, live: ApiObject): FieldSet {
  const config = readNote(live.metadata.annotations?.[note] ?? '');
  if (!isJsonObject(config)) return emptySet;
  const { modified } = compareObjects(schema, config, live);
  return recursiveDifference(fieldSetOf(schema, config), modified);
}

function readNote(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return null;
  }
}
