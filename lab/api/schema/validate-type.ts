import { type FieldCause, invalidValue, typeInvalid } from '../field-cause.ts';
import { isJsonObject, isRawNumber, type Json } from '../json.ts';
import { hasFormat } from './formats.ts';
import type { Schema } from './schema.ts';

const jsonNames: Readonly<Record<string, string>> = {
  object: 'object',
  list: 'array',
  string: 'string',
  integer: 'integer',
  number: 'number',
  boolean: 'boolean',
  'int-or-string': 'integer,string',
};

/** One cause when the value is of another type than its schema says, or does not have its format. */
export function typeProblem(schema: Schema, value: Json, path: string): readonly FieldCause[] {
  if (schema.type === 'any') return [];
  const found = typeOf(value);
  if (!fits(schema.type, found)) {
    const cause = mismatch(path, found, jsonNames[schema.type] ?? '');
    return schema.type === 'integer' && found === 'number'
      ? [cause, notWhole(schema, path)]
      : [cause];
  }
  if (schema.type === 'integer') return integerProblem(schema, value, path);
  const { format } = schema;
  if (typeof value !== 'string' || format === undefined || hasFormat(value, format)) return [];
  const place = placeOf(path);
  const detail = `${place} in body must be of type ${format}: ${JSON.stringify(value)}`;
  return [typeInvalid(place, value, detail)];
}

function placeOf(path: string): string {
  return path === '' ? '<nil>' : path;
}

function mismatch(path: string, found: string, expected: string): FieldCause {
  const place = placeOf(path);
  return typeInvalid(
    place,
    found,
    `${place} in body must be of type ${expected}: ${JSON.stringify(found)}`,
  );
}

function typeOf(value: Json): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (isRawNumber(value)) return 'integer';
  if (isJsonObject(value)) return 'object';
  if (typeof value !== 'number') return typeof value;
  return Number.isInteger(value) ? 'integer' : 'number';
}

function fits(type: string, found: string): boolean {
  if (type === 'number') return found === 'number' || found === 'integer';
  if (type === 'int-or-string') return found === 'string' || found === 'integer';
  return jsonNames[type] === found;
}

const most = { int32: 2n ** 31n - 1n, int64: 2n ** 63n - 1n } as const;

function integerProblem({ format }: Schema, value: Json, path: string): readonly FieldCause[] {
  const integer = BigInt(isRawNumber(value) ? value.rawJSON : Number(value));
  const magnitude = integer < 0n ? -integer - 1n : integer;
  if (magnitude > most.int64) return [mismatch(path, 'float64', format ?? 'integer')];
  return format === 'int32' && magnitude > most.int32 ? [notWhole({ format }, path)] : [];
}

function notWhole({ format }: { readonly format?: string }, path: string): FieldCause {
  const kind = format === undefined ? '(default format)' : `with format ${format}`;
  return invalidValue('<nil>', '', `Checked value must be of type integer ${kind} in ${path}`);
}
