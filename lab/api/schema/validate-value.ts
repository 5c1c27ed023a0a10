/** Holds a custom resource to its schema, in the words of the real server. */

import { duplicate, type FieldCause, invalidValue, required } from '../field-cause.ts';
import { equalJson, isJsonObject, type Json, type JsonObject } from '../json.ts';
import type { Schema } from './schema.ts';
import { validateCombined } from './validate-combined.ts';
import { validateLimits } from './validate-limits.ts';
import { typeProblem } from './validate-type.ts';

/** What was already wrong before an update and is left as it was is not held against the update. */
export function validateValue(
  schema: Schema,
  value: Json,
  old: Json | undefined,
  path: string,
): readonly FieldCause[] {
  if (old !== undefined && equalJson(value, old)) return [];
  if (value === null && schema.isNullable === true) return [];
  const wrongType = typeProblem(schema, value, path);
  if (wrongType.length > 0) return wrongType;
  return [
    ...validateLimits(schema, value, path),
    ...validateCombined(schema, value, path, validateValue),
    ...validateParts(schema, value, old, path),
  ];
}

function validateParts(
  schema: Schema,
  value: Json,
  old: Json | undefined,
  path: string,
): readonly FieldCause[] {
  if (Array.isArray(value)) return validateItems(schema, value, old, path);
  return isJsonObject(value) ? validateFields(schema, value, old, path) : [];
}

function validateFields(
  schema: Schema,
  value: JsonObject,
  old: Json | undefined,
  path: string,
): readonly FieldCause[] {
  const before = isJsonObject(old) ? old : {};
  const placeOf = (name: string) => (path === '' ? name : `${path}.${name}`);
  const missing = (schema.constraints?.required ?? []).filter((name) => value[name] === undefined);
  return [
    ...missing.map((name) => required(placeOf(name), '')),
    ...Object.entries(value).flatMap(([name, part]) => {
      const inner = schema.fields?.get(name)?.schema ?? schema.values;
      if (inner === undefined || part === undefined) return [];
      return validateValue(inner, part, before[name], placeOf(name));
    }),
  ];
}

function validateItems(
  schema: Schema,
  list: readonly Json[],
  old: Json | undefined,
  path: string,
): readonly FieldCause[] {
  const items = schema.items ?? { type: 'any' };
  return [
    ...list.flatMap((item, index) =>
      validateValue(items, item, oldItem(schema, item, old), `${path}[${index}]`),
    ),
    ...validateUnique(schema, list, path),
  ];
}

/** Items are known again only in lists that say by which keys. */
export function oldItem(schema: Schema, item: Json, old: Json | undefined): Json | undefined {
  if (schema.listType !== 'map' || !Array.isArray(old)) return undefined;
  const identity = keysOf(schema, item);
  return old.find((other) => equalJson(keysOf(schema, other), identity));
}

function keysOf({ listKeys = [] }: Schema, item: Json): JsonObject {
  const object = isJsonObject(item) ? item : {};
  return Object.fromEntries(
    listKeys.flatMap((key) => (object[key] === undefined ? [] : [[key, object[key]]])),
  );
}

function validateUnique(
  schema: Schema,
  list: readonly Json[],
  path: string,
): readonly FieldCause[] {
  if (schema.listType === 'set') return duplicatesIn(list, path);
  if (schema.listType !== 'map') return [];
  return duplicatesIn(
    list.map((item) => keysOf(schema, item)),
    path,
  );
}

function duplicatesIn(identities: readonly Json[], path: string): readonly FieldCause[] {
  return identities.flatMap((identity, index) => {
    const first = identities.findIndex((other) => equalJson(other, identity));
    return first < index ? [duplicate(`${path}[${index}]`, identity)] : [];
  });
}

const blocking = new Set([
  'FieldValueRequired',
  'FieldValueTypeInvalid',
  'FieldValueTooLong',
  'FieldValueTooMany',
  'FieldValueNotSupported',
]);

/** With such faults expressions could not be evaluated, so the real server does not try. */
export function blocksRules(causes: readonly FieldCause[]): boolean {
  return causes.some(({ reason }) => blocking.has(reason));
}

export const rulesNotChecked: FieldCause = invalidValue(
  '<nil>',
  null,
  'some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
);
