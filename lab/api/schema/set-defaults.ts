import { cloneJson, isJsonObject, type Json, type JsonObject } from '../json.ts';
import type { Schema } from './schema.ts';

/** Fills in what is absent, in place. A default may itself be an object whose fields have defaults. */
export function setSchemaDefaults(schema: Schema, value: Json | undefined): void {
  if (Array.isArray(value)) {
    for (const item of value) setSchemaDefaults(schema.items ?? { type: 'any' }, item);
  } else if (isJsonObject(value)) {
    setFieldDefaults(schema, value);
  }
}

function setFieldDefaults({ fields, values }: Schema, value: JsonObject): void {
  for (const [name, { schema }] of fields ?? []) {
    if (value[name] === undefined && schema.default !== undefined) {
      value[name] = cloneJson(schema.default);
    }
    setSchemaDefaults(schema, value[name]);
  }
  if (values === undefined) return;
  for (const name of Object.keys(value)) {
    if (fields?.has(name) !== true) setSchemaDefaults(values, value[name]);
  }
}
