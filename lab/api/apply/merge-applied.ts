import { isJsonObject, type Json, type JsonObject } from '../json.ts';
import type { Schema } from '../schema/schema.ts';
import { fieldSchema, isItemized, itemElement } from './structure.ts';

/** The live value with an applied configuration laid over it. */
export function mergeApplied(schema: Schema, live: Json | undefined, config: Json): Json {
  if (isJsonObject(config) && isJsonObject(live) && schema.isAtomic !== true) {
    return mergeFields(schema, live, config);
  }
  if (Array.isArray(config) && Array.isArray(live) && isItemized(schema)) {
    return mergeItems(schema, live, config);
  }
  return config;
}

function mergeFields(schema: Schema, live: JsonObject, config: JsonObject): JsonObject {
  const merged: JsonObject = { ...live };
  for (const [name, value] of Object.entries(config)) {
    if (value !== undefined)
      merged[name] = mergeApplied(fieldSchema(schema, name), live[name], value);
  }
  return merged;
}

/** In the order of the configuration; what only the live list has stays before what it stood before. */
function mergeItems(schema: Schema, live: readonly Json[], config: readonly Json[]): Json[] {
  const items = schema.items ?? { type: 'any' };
  const elementOf = (item: Json) => itemElement(schema, item);
  const wanted = new Set(config.map(elementOf));
  const byElement = new Map(live.map((item) => [elementOf(item), item]));
  const pending = [...live];
  const merged: Json[] = [];
  for (const item of config) {
    const old = byElement.get(elementOf(item));
    if (old !== undefined) merged.push(...takeOthersBefore(pending, old, wanted, elementOf));
    merged.push(mergeApplied(items, old, item));
  }
  return [...merged, ...pending.filter((item) => !wanted.has(elementOf(item)))];
}

function takeOthersBefore(
  pending: Json[],
  item: Json,
  wanted: ReadonlySet<string>,
  elementOf: (item: Json) => string,
): readonly Json[] {
  const index = pending.indexOf(item);
  if (index < 0) return [];
  return pending.splice(0, index + 1).filter((other) => !wanted.has(elementOf(other)));
}
