import { isJsonObject, type Json, type JsonObject } from '../json.ts';
import type { Schema } from './schema.ts';

const objectFields = new Set(['apiVersion', 'kind', 'metadata']);
const anything: Schema = { type: 'any' };

/** The value without what its schema does not name; the paths of what went are added to `dropped`. */
export function pruneUnknown(schema: Schema, value: Json, dropped: string[], path = ''): Json {
  if (Array.isArray(value)) {
    const items = schema.items ?? anything;
    return value.map((item, index) => pruneUnknown(items, item, dropped, `${path}[${index}]`));
  }
  if (!isJsonObject(value) || schema.type === 'any') return value;
  const isRoot = path === '';
  const kept = Object.entries(value).filter(([name]) => isKnown(schema, name, isRoot));
  const gone = Object.keys(value).filter((name) => !isKnown(schema, name, isRoot));
  dropped.push(...gone.map((name) => join(path, name)));
  return Object.fromEntries(
    kept.map(([name, part]) => [
      name,
      pruneUnknown(partSchema(schema, name), part ?? null, dropped, join(path, name)),
    ]),
  );
}

function join(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}

function partSchema({ fields, values }: Schema, name: string): Schema {
  return fields?.get(name)?.schema ?? values ?? anything;
}

function isKnown(schema: Schema, name: string, isRoot: boolean): boolean {
  if (schema.keepsUnknown === true || schema.values !== undefined) return true;
  if (schema.fields?.has(name) === true) return true;
  return (isRoot || schema.isEmbedded === true) && objectFields.has(name);
}

/** Null means absent: wherever it is not a value of its own, or only where a default can take its place. */
export type NullsThatGo = 'all' | 'with-default';

export function pruneNulls(schema: Schema, value: Json, which: NullsThatGo = 'all'): Json {
  if (Array.isArray(value)) {
    return value.map((item) => pruneNulls(schema.items ?? anything, item, which));
  }
  if (!isJsonObject(value) || schema.type === 'any') return value;
  const kept: JsonObject = {};
  for (const [name, part = null] of Object.entries(value)) {
    const inner = partSchema(schema, name);
    if (part !== null || isNullKept(inner, which)) kept[name] = pruneNulls(inner, part, which);
  }
  return kept;
}

function isNullKept(schema: Schema, which: NullsThatGo): boolean {
  if (schema.isNullable === true || schema.type === 'any') return true;
  return which === 'with-default' && schema.default === undefined;
}
