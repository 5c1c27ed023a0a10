/**
 * Kubernetes' own kind of merge patch: lists whose type names a merge key are merged item by item, and fields that
 * begin with `$` say how to remove, replace and order.
 */

import { equalJson, isJsonObject, type Json, type JsonObject } from '../json.ts';
import type { Field, Schema } from '../schema/schema.ts';
import { orderItems } from './element-order.ts';
import { MergeKeyError, PatchError } from './patch-error.ts';

export function applyStrategicPatch(
  schema: Schema | undefined,
  target: JsonObject,
  patch: JsonObject,
): JsonObject {
  const { $patch: directive, ...wishes } = patch;
  if (directive === 'replace') return withoutDirectives(wishes);
  if (directive === 'delete') return {};
  if (directive !== undefined && directive !== 'merge') {
    throw new PatchError(`Unknown patch type: ${String(directive)}`);
  }
  const merged = retainKeys(target, wishes);
  const [plain, directives] = splitDirectives(wishes);
  for (const [name, value] of plain) mergeField(schema, merged, name, value ?? null);
  for (const [name, value] of directives) {
    followDirective({ schema, target }, merged, name, value ?? null);
  }
  return merged;
}

function splitDirectives(wishes: JsonObject) {
  const entries = Object.entries(wishes);
  const isDirective = ([name]: [string, unknown]) => name.startsWith('$');
  return [entries.filter((entry) => !isDirective(entry)), entries.filter(isDirective)] as const;
}

function mergeField(
  schema: Schema | undefined,
  merged: JsonObject,
  name: string,
  value: Json,
): void {
  const field = fieldOf(schema, name);
  const old = merged[name];
  if (value === null) {
    delete merged[name];
  } else if (isJsonObject(value)) {
    merged[name] = applyStrategicPatch(field.schema, isJsonObject(old) ? old : {}, value);
  } else if (Array.isArray(value) && field.mergeKey !== undefined) {
    merged[name] = mergeList(field, Array.isArray(old) ? old : [], value);
  } else {
    merged[name] = value;
  }
}

function fieldOf(schema: Schema | undefined, name: string): Field {
  return (
    schema?.fields?.get(name) ?? { schema: schema?.values ?? { type: 'any', keepsUnknown: true } }
  );
}

function mergeList(field: Field, old: readonly Json[], patch: readonly Json[]): Json[] {
  const key = field.mergeKey ?? '';
  if (key === '' || field.schema.items?.type !== 'object') {
    const isKnown = (item: Json) => old.some((other) => equalJson(other, item));
    const merged = [...old, ...patch.filter((item) => !isKnown(item))];
    return orderItems(merged, patch, old, '');
  }
  const replaces = patch.some((item) => isJsonObject(item) && item['$patch'] === 'replace');
  const merged = replaces ? [] : [...old];
  for (const item of patch) {
    if (!isJsonObject(item)) throw new PatchError('an item to merge is an object');
    if (item['$patch'] !== 'replace') mergeItem(field.schema.items, merged, item, key);
  }
  return orderItems(merged, patch, old, key);
}

function mergeItem(schema: Schema, merged: Json[], item: JsonObject, key: string): void {
  const value = item[key];
  if (value === undefined)
    throw new MergeKeyError(`map does not contain declared merge key: ${key}`);
  const isSame = (other: Json) => isJsonObject(other) && equalJson(other[key], value);
  const index = merged.findIndex(isSame);
  if (item['$patch'] === 'delete') {
    merged.splice(0, merged.length, ...merged.filter((other) => !isSame(other)));
  } else if (index < 0) {
    merged.push(applyStrategicPatch(schema, {}, item));
  } else {
    merged[index] = applyStrategicPatch(schema, merged[index] as JsonObject, item);
  }
}

function retainKeys(target: JsonObject, { $retainKeys: keys }: JsonObject): JsonObject {
  if (!Array.isArray(keys)) return { ...target };
  return Object.fromEntries(Object.entries(target).filter(([name]) => keys.includes(name)));
}

function followDirective(
  { schema, target }: { readonly schema: Schema | undefined; readonly target: JsonObject },
  merged: JsonObject,
  directive: string,
  value: Json,
): void {
  const [kind, name = ''] = directive.split('/', 2);
  const list = merged[name];
  if (kind === '$retainKeys' || !Array.isArray(value) || !Array.isArray(list)) return;
  if (kind === '$deleteFromPrimitiveList') {
    merged[name] = list.filter((item) => !value.some((other) => equalJson(other, item)));
  } else if (kind === '$setElementOrder') {
    const original = target[name];
    const before = Array.isArray(original) ? original : [];
    merged[name] = orderItems(list, value, before, fieldOf(schema, name).mergeKey ?? '');
  }
}

function withoutDirectives(value: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(value).filter(([name, part]) => !name.startsWith('$') && part !== null),
  );
}
