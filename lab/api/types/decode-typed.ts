/**
 * Reads JSON into a built-in type as a Go program would, and prints it again: unknown fields vanish, wrong types are
 * refused, zero values are left out or filled in as the type says.
 */

import { isJsonObject, isRawNumber, type Json, type JsonObject } from '../json.ts';
import type { Field, Schema, SchemaType } from '../schema/schema.ts';
import { DecodeError } from './decode-error.ts';
import { decodeMicroTime, decodeTime } from './times.ts';

export interface Decoded<T> {
  readonly value: T;
  /** Paths of fields that the type does not have. */
  readonly unknown: readonly string[];
}

export function decodeTyped(schema: Schema, value: JsonObject): Decoded<JsonObject> {
  const decoder = new Decoder();
  return {
    value: decoder.decode(schema, value, { path: '', struct: '' }) as JsonObject,
    unknown: decoder.unknown,
  };
}

interface Place {
  readonly path: string;
  /** Innermost named struct, for messages. */
  readonly struct: string;
}

class Decoder {
  readonly unknown: string[] = [];

  decode(schema: Schema, value: Json, place: Place): Json | undefined {
    if (value === null) return undefined;
    if (schema.type === 'object') return this.#decodeObject(schema, value, place);
    if (schema.type === 'list') return this.#decodeList(schema, value, place);
    if (schema.type === 'any') return value;
    return scalarDecoders[schema.type](value, place, schema);
  }

  #decodeObject(schema: Schema, value: Json, place: Place): JsonObject {
    if (!isJsonObject(value)) throw mismatch(value, schema.name ?? 'map', place);
    const { fields, values } = schema;
    if (values !== undefined) return this.#decodeMap(values, value, place);
    if (fields === undefined) return value;
    return this.#decodeStruct(fields, value, { ...place, struct: schema.name ?? place.struct });
  }

  #decodeStruct(fields: ReadonlyMap<string, Field>, value: JsonObject, place: Place): JsonObject {
    const result: JsonObject = {};
    // In the order of the text, which is the order in which unknown fields are reported.
    for (const name in value) {
      const field = fields.get(name);
      const inner = { ...place, path: join(place.path, name) };
      if (field === undefined) this.unknown.push(inner.path);
      else assign(result, name, this.#decodeField(field, value[name] ?? null, inner));
    }
    for (const [name, field] of fields) {
      if (result[name] !== undefined || !isAlwaysPrinted(field)) continue;
      assign(result, name, this.#decodeField(field, null, place));
    }
    return result;
  }

  #decodeField(field: Field, value: Json, place: Place): Json | undefined {
    const { schema, presence } = field;
    const decoded = this.decode(schema, value, place);
    if (presence === 'always') return decoded ?? this.#zero(schema, place);
    if (presence === 'pointer-always') return decoded ?? null;
    return presence === 'unless-zero' && isZero(schema, decoded) ? undefined : decoded;
  }

  #zero(schema: Schema, place: Place): Json | undefined {
    if (schema.type === 'object' && schema.fields !== undefined) {
      return this.decode(schema, {}, place);
    }
    return zeros[schema.type];
  }

  #decodeMap(values: Schema, value: JsonObject, place: Place): JsonObject {
    const result: JsonObject = {};
    for (const key in value) {
      const inner = { ...place, path: join(place.path, key) };
      result[key] = this.decode(values, value[key] ?? null, inner) ?? this.#zero(values, inner);
    }
    return result;
  }

  #decodeList(schema: Schema, value: Json, place: Place): Json[] {
    if (!Array.isArray(value)) throw mismatch(value, '[]', place);
    const items = schema.items ?? { type: 'any' };
    return value.map((item, index) => {
      const inner = { ...place, path: `${place.path}[${index}]` };
      return this.decode(items, item, inner) ?? this.#zero(items, inner) ?? null;
    });
  }
}

function assign(target: JsonObject, name: string, value: Json | undefined): void {
  if (value !== undefined) target[name] = value;
}

function isAlwaysPrinted({ presence }: Field): boolean {
  return presence === 'always' || presence === 'pointer-always';
}

const zeros: Readonly<Record<string, Json>> = {
  string: '',
  integer: 0,
  number: 0,
  boolean: false,
  'int-or-string': 0,
  quantity: '0',
  object: null,
  list: null,
  any: null,
  time: null,
  'micro-time': null,
  bytes: null,
};

function isZero(schema: Schema, value: Json | undefined): boolean {
  if (value === undefined || value === '' || value === false) return true;
  // IntOrString is a struct, which Go always prints; so is a quantity.
  if (value === 0) return schema.type !== 'int-or-string';
  if (Array.isArray(value)) return value.length === 0;
  return isJsonObject(value) && Object.keys(value).length === 0;
}

type ScalarType = Exclude<SchemaType, 'object' | 'list' | 'any'>;

const scalarDecoders: Readonly<
  Record<ScalarType, (value: Json, place: Place, schema: Schema) => Json>
> = {
  string: (value, place) => expect('string', value, 'string', place),
  integer: decodeInteger,
  number: (value, place) => expect('number', value, 'float64', place),
  boolean: (value, place) => expect('boolean', value, 'bool', place),
  time: (value, place) => decodeTime(expect('string', value, 'string', place)),
  'micro-time': (value, place) => decodeMicroTime(expect('string', value, 'string', place)),
  bytes: (value, place) => decodeBytes(expect('string', value, '[]uint8', place)),
  'int-or-string': (value, place) =>
    Number.isInteger(value) ? value : expect('string', value, 'int32', place),
  quantity: (value, place) =>
    typeof value === 'number' ? String(value) : expect('string', value, 'string', place),
};

function decodeInteger(value: Json, place: Place, schema: Schema): Json {
  const type = schema.format === 'int32' ? 'int32' : 'int64';
  if (isRawNumber(value) && type === 'int64') return value;
  const number = expect('number', value, type, place);
  const fits = type === 'int64' || number === (number | 0);
  if (!Number.isInteger(number) || !fits) throw mismatch(value, type, place, `number ${number}`);
  return number;
}

function decodeBytes(text: string): string {
  const canonical = Buffer.from(text, 'base64').toString('base64');
  if (canonical.replace(/=+$/, '') !== text.replaceAll(/[=\r\n]/g, '')) {
    throw new DecodeError('illegal base64 data at input byte 0');
  }
  return canonical;
}

interface Scalars {
  string: string;
  number: number;
  boolean: boolean;
}

function expect<T extends keyof Scalars>(
  type: T,
  value: Json,
  goType: string,
  place: Place,
): Scalars[T] {
  if (typeof value !== type) throw mismatch(value, goType, place);
  return value as Scalars[T];
}

function mismatch(value: Json, goType: string, place: Place, what = jsonType(value)): DecodeError {
  const path = place.path.replaceAll(/\[\d+\]/g, '');
  return new DecodeError(
    `json: cannot unmarshal ${what} into Go struct field ${place.struct}.${path} of type ${goType}`,
  );
}

function jsonType(value: Json): string {
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'boolean') return 'bool';
  return isRawNumber(value) ? 'number' : typeof value;
}

function join(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}
