/** Objects as expressions see them: integers are integers, and fields with awkward names have plain ones. */

import { isJsonObject, isRawNumber, type Json, type JsonObject } from '../json.ts';
import type { Schema } from '../schema/schema.ts';

const anything: Schema = { type: 'any' };

export function toCelValue(schema: Schema, value: Json): unknown {
  if (isRawNumber(value)) return BigInt(value.rawJSON);
  if (typeof value === 'number') return toCelNumber(schema, value);
  if (Array.isArray(value)) {
    return value.map((item) => toCelValue(schema.items ?? anything, item));
  }
  return isJsonObject(value) ? toCelObject(schema, value) : value;
}

/** A whole number is an integer unless the schema asks for a `number`. */
function toCelNumber({ type }: Schema, value: number): unknown {
  return type !== 'number' && Number.isInteger(value) ? BigInt(value) : value;
}

function toCelObject({ fields, values }: Schema, value: JsonObject): Record<string, unknown> {
  const result: Record<string, unknown> = {};
  for (const [name, part] of Object.entries(value)) {
    if (part === undefined) continue;
    const field = fields?.get(name);
    const key = field === undefined ? name : escapeName(name);
    result[key] = toCelValue(field?.schema ?? values ?? anything, part);
  }
  return result;
}

const reserved = new Set(
  'true false null in as break const continue else for function if import let loop package namespace return var void while'.split(
    ' ',
  ),
);

/** `__namespace__` and `my__dash__field`, as the API documents. */
export function escapeName(name: string): string {
  if (reserved.has(name)) return `__${name}__`;
  return name
    .replaceAll('__', '__underscores__')
    .replaceAll('.', '__dot__')
    .replaceAll('-', '__dash__')
    .replaceAll('/', '__slash__');
}
