/** From the schema in a custom resource definition (a part of OpenAPI v3) to the server's own form. */

import {
  isJsonObject,
  isRawNumber,
  type Json,
  type JsonObject,
  listAt,
  objectAt,
} from '../json.ts';
import type { Constraints, Rule } from './constraints.ts';
import type { Field, ListType, Schema, SchemaType } from './schema.ts';

const types: Readonly<Record<string, SchemaType>> = {
  object: 'object',
  array: 'list',
  string: 'string',
  integer: 'integer',
  number: 'number',
  boolean: 'boolean',
};

export function compileSchema(json: JsonObject): Schema {
  const flag = (name: string) => json[name] === true;
  return {
    type: flag('x-kubernetes-int-or-string')
      ? 'int-or-string'
      : (types[String(json['type'])] ?? 'any'),
    ...pick('format', json['format']),
    ...pick('fields', fieldsOf(json)),
    ...pick('values', valuesOf(json)),
    ...pick('items', isJsonObject(json['items']) ? compileSchema(json['items']) : undefined),
    ...pick('listType', json['x-kubernetes-list-type'] as ListType | undefined),
    ...pick('listKeys', json['x-kubernetes-list-map-keys'] as string[] | undefined),
    ...pick('isAtomic', json['x-kubernetes-map-type'] === 'atomic' || undefined),
    ...pick('keepsUnknown', flag('x-kubernetes-preserve-unknown-fields') || undefined),
    ...pick('isEmbedded', flag('x-kubernetes-embedded-resource') || undefined),
    ...pick('isNullable', flag('nullable') || undefined),
    ...pick('default', json['default']),
    constraints: constraintsOf(json),
  } as Schema;
}

function pick<T>(name: string, value: T | undefined): Record<string, T> {
  return value === undefined ? {} : { [name]: value };
}

function fieldsOf(json: JsonObject): ReadonlyMap<string, Field> | undefined {
  if (json['type'] !== 'object') return undefined;
  return new Map(
    Object.entries(objectAt(json, 'properties')).map(([name, property]) => [
      name,
      { schema: compileSchema(isJsonObject(property) ? property : {}) },
    ]),
  );
}

function valuesOf(json: JsonObject): Schema | undefined {
  const values = json['additionalProperties'];
  if (values === true) return { type: 'any', keepsUnknown: true };
  return isJsonObject(values) ? compileSchema(values) : undefined;
}

const plainConstraints = [
  'required',
  'enum',
  'pattern',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'uniqueItems',
  'minProperties',
  'maxProperties',
];

function constraintsOf(json: JsonObject): Constraints {
  const plain = plainConstraints.filter((name) => json[name] !== undefined);
  const combined = ['allOf', 'anyOf', 'oneOf'].filter((name) => json[name] !== undefined);
  const rules = listAt(json, 'x-kubernetes-validations') as unknown as Rule[];
  return {
    ...Object.fromEntries(plain.map((name) => [name, numberOf(json[name])])),
    ...Object.fromEntries(
      combined.map((name) => [name, (listAt(json, name) as JsonObject[]).map(compileSchema)]),
    ),
    ...(isJsonObject(json['not']) ? { not: compileSchema(json['not']) } : {}),
    ...(rules.length > 0 ? { rules } : {}),
  };
}

/** Bounds beyond 2^53 are compared as numbers: near enough. */
function numberOf(value: Json | undefined): Json | undefined {
  return isRawNumber(value) ? Number(value.rawJSON) : value;
}
