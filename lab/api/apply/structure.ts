/** How server-side apply sees a value: as a leaf that is owned whole, as named parts, or as items with an identity. */

import { isJsonObject, type Json, type JsonObject } from '../json.ts';
import type { Schema } from '../schema/schema.ts';

export type Part = { readonly element: string; readonly value: Json; readonly schema: Schema };

const anything: Schema = { type: 'any', keepsUnknown: true };

/** The parts that can be owned one by one; undefined for a leaf. */
export function partsOf(schema: Schema, value: Json): readonly Part[] | undefined {
  if (isJsonObject(value)) return schema.isAtomic === true ? undefined : fieldParts(schema, value);
  if (!Array.isArray(value) || !isItemized(schema)) return undefined;
  const items = schema.items ?? anything;
  return value.map((item) => ({ element: itemElement(schema, item), value: item, schema: items }));
}

export function isItemized({ type, listType }: Schema): boolean {
  return type === 'list' && (listType === 'map' || listType === 'set');
}

function fieldParts(schema: Schema, value: JsonObject): readonly Part[] {
  const parts: Part[] = [];
  for (const name in value) {
    const part = value[name];
    if (part !== undefined) {
      parts.push({ element: `f:${name}`, value: part, schema: fieldSchema(schema, name) });
    }
  }
  return parts;
}

export function fieldSchema(schema: Schema, name: string): Schema {
  return schema.fields?.get(name)?.schema ?? schema.values ?? anything;
}

/** True for a field that the schema names, in contrast to a key of a map. */
export function isNamedField(schema: Schema, element: string): boolean {
  return element.startsWith('f:') && schema.fields?.has(element.slice(2)) === true;
}

export function childSchema(schema: Schema, element: string): Schema {
  return element.startsWith('f:')
    ? fieldSchema(schema, element.slice(2))
    : (schema.items ?? anything);
}

export function itemElement(schema: Schema, item: Json): string {
  if (schema.listType !== 'map') return `v:${JSON.stringify(item)}`;
  const keys: JsonObject = {};
  for (const key of [...(schema.listKeys ?? [])].sort()) {
    const field = schema.items?.fields?.get(key);
    const value = isJsonObject(item) ? item[key] : undefined;
    keys[key] = value ?? field?.default ?? field?.schema.default ?? null;
  }
  return `k:${JSON.stringify(keys)}`;
}
