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
  // Null says nothing about a map or a list that is there.
  return config === null && hasParts(schema, live) ? live : config;
}

function hasParts(schema: Schema, live: Json | undefined): live is Json {
  if (isJsonObject(live)) return schema.isAtomic !== true;
  return Array.isArray(live) && isItemized(schema);
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
  const known = new Map(live.map((item) => [elementOf(item), item]));
  const pending = [...live];
  const merged: Json[] = [];
  const keepOthers = () => {
    while (pending[0] !== undefined && !wanted.has(elementOf(pending[0]))) {
      merged.push(pending.shift() as Json);
    }
  };
  for (const item of config) {
    keepOthers();
    const old = known.get(elementOf(item));
    const index = old === undefined ? -1 : pending.indexOf(old);
    if (index >= 0) pending.splice(index, 1);
    merged.push(mergeApplied(items, old, item));
  }
  keepOthers();
  return merged;
}
