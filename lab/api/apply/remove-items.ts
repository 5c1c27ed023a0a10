import { isJsonObject, type Json, type JsonObject } from '../json.ts';
import type { Schema } from '../schema/schema.ts';
import type { FieldSet } from './field-set.ts';
import { fieldSchema, isItemized, itemElement } from './structure.ts';

/** The value without the places in the set; null when nothing is left, as the real server has it. */
export function removeItems<T extends Json>(schema: Schema, value: T, set: FieldSet): T {
  if (isJsonObject(value)) {
    const rest = removeFields(schema, value, set);
    const isEmptied = Object.keys(rest).length === 0 && Object.keys(value).length > 0;
    return (isEmptied ? null : rest) as T;
  }
  if (!Array.isArray(value) || !isItemized(schema)) return value;
  const rest = removeListed(schema, value, set);
  return (rest.length === 0 && value.length > 0 ? null : rest) as T;
}

function removeFields(schema: Schema, value: JsonObject, set: FieldSet): JsonObject {
  const result: JsonObject = {};
  for (const [name, part] of Object.entries(value)) {
    const element = `f:${name}`;
    if (part === undefined || set.members.has(element)) continue;
    const below = set.children.get(element);
    result[name] = below === undefined ? part : removeItems(fieldSchema(schema, name), part, below);
  }
  return result;
}

function removeListed(schema: Schema, list: readonly Json[], set: FieldSet): Json[] {
  const items = schema.items ?? { type: 'any' };
  return list.flatMap((item) => {
    const element = itemElement(schema, item);
    if (set.members.has(element)) return [];
    const below = set.children.get(element);
    return [below === undefined ? item : removeItems(items, item, below)];
  });
}
