import { isJsonObject, isRawNumber, type Json, type JsonObject } from '../json.ts';
import type { Schema } from '../schema/schema.ts';
import { renderPaths } from './field-set.ts';
import { isItemized, itemElement } from './structure.ts';

/** The first place where a configuration to apply does not fit its type. */
export function findTypeProblem(schema: Schema, value: Json, path: string): string | undefined {
  if (value === null) return undefined;
  if (schema.type === 'object') {
    if (isJsonObject(value)) return findFieldProblem(schema, value, path);
    return `${path}: expected map, got &{${JSON.stringify(value)}}`;
  }
  if (schema.type === 'list') {
    if (Array.isArray(value)) return findItemProblem(schema, value, path);
    return `${path}: expected list, got &{${JSON.stringify(value)}}`;
  }
  const expected = scalarTypes[schema.type];
  return expected === undefined ? undefined : expectType(value, expected, path);
}

/** JavaScript's name of the type, and the real server's. */
const scalarTypes: Readonly<Record<string, readonly [string, string]>> = {
  integer: ['number', 'numeric (int or float)'],
  number: ['number', 'numeric (int or float)'],
  boolean: ['boolean', 'boolean'],
  string: ['string', 'string'],
};

function findFieldProblem(schema: Schema, value: JsonObject, path: string): string | undefined {
  const { fields, values, keepsUnknown } = schema;
  for (const [name, part] of Object.entries(value)) {
    const place = `${path}.${name}`;
    const inner = fields?.get(name)?.schema ?? values;
    const isUndeclared = inner === undefined && fields !== undefined && keepsUnknown !== true;
    if (isUndeclared) return `${place}: field not declared in schema`;
    const problem = findTypeProblem(inner ?? { type: 'any' }, part ?? null, place);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function findItemProblem(schema: Schema, list: readonly Json[], path: string): string | undefined {
  const items = schema.items ?? { type: 'any' };
  const identity = findIdentityProblem(schema, list);
  if (identity !== undefined) return `${path}: ${identity}`;
  for (const [index, item] of list.entries()) {
    const problem = findTypeProblem(items, item, path + placeOf(schema, item, index));
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** Items that are owned one by one must be told apart. */
function findIdentityProblem(schema: Schema, list: readonly Json[]): string | undefined {
  if (!isItemized(schema)) return undefined;
  const seen = new Set<string>();
  for (const [index, item] of list.entries()) {
    const element = itemElement(schema, item);
    if (isJsonObject(item) && /^k:\{("[^"]*":null,?)*\}$/.test(element)) {
      const keys = JSON.stringify(schema.listKeys ?? []).replaceAll(',', ' ');
      return `element ${index}: associative list with keys has an element that omits all key fields ${keys} (and doesn't have default values for any key fields)`;
    }
    if (seen.has(element)) return `duplicate entries for key ${placeOf(schema, item, index)}`;
    seen.add(element);
  }
  return undefined;
}

function placeOf(schema: Schema, item: Json, index: number): string {
  if (!isItemized(schema)) return `[${index}]`;
  return (
    renderPaths({ members: new Set([itemElement(schema, item)]), children: new Map() })[0] ?? ''
  );
}

function expectType(
  value: Json,
  [name, expected]: readonly [string, string],
  path: string,
): string | undefined {
  const type = isRawNumber(value) ? 'number' : typeof value;
  if (type === name) return undefined;
  const found = Array.isArray(value) ? 'list' : isJsonObject(value) ? 'map' : type;
  return `${path}: expected ${expected}, got ${found}`;
}
