/** JSON as the API server keeps it. What is stored is frozen; requests work on copies. */

export type Json = null | boolean | number | string | Json[] | JsonObject | RawNumber;

export interface JsonObject {
  [field: string]: Json | undefined;
}

/** An integer beyond 2^53, kept as its text so that 64-bit counters survive. Printed by JSON.stringify as it was read. */
export interface RawNumber {
  readonly rawJSON: string;
}

interface RawJson {
  rawJSON(text: string): RawNumber;
  isRawJSON(value: unknown): value is RawNumber;
}

// Not in TypeScript's library yet; Node has it since version 21.
const rawJson = JSON as unknown as RawJson;

export const isRawNumber = (value: unknown): value is RawNumber => rawJson.isRawJSON(value);

export function isJsonObject(value: unknown): value is JsonObject {
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) && !isRawNumber(value)
  );
}

/** Throws SyntaxError on malformed text. */
export function parseJson(text: string): Json {
  if (!/\d{16}/.test(text)) return JSON.parse(text) as Json;
  const revive = (_key: string, value: unknown, context?: { source?: string }) =>
    typeof value === 'number' && !Number.isSafeInteger(value) && isInteger(context?.source)
      ? rawJson.rawJSON(context?.source ?? '')
      : value;
  return JSON.parse(text, revive) as Json;
}

function isInteger(source: string | undefined): boolean {
  return source !== undefined && /^-?\d+$/.test(source);
}

export function cloneJson<T extends Json | undefined>(value: T): T {
  if (Array.isArray(value)) return value.map((item) => cloneJson(item)) as T;
  if (!isJsonObject(value)) return value;
  const copy: JsonObject = {};
  for (const key in value) setField(copy, key, cloneJson(value[key]));
  return copy as T;
}

/** A field called `__proto__` is a field like any other: setting it plainly would change what the object is. */
function setField(object: JsonObject, key: string, value: Json | undefined): void {
  if (key !== '__proto__') object[key] = value;
  else
    Object.defineProperty(object, key, {
      value,
      enumerable: true,
      writable: true,
      configurable: true,
    });
}

export function freezeJson<T extends Json | undefined>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  for (const part of Object.values(value)) freezeJson(part as Json);
  return Object.freeze(value);
}

/** Fields that are absent and fields that are `undefined` are the same; key order does not matter. */
export function equalJson(left: Json | undefined, right: Json | undefined): boolean {
  if (left === right) return true;
  if (Array.isArray(left)) return Array.isArray(right) && equalLists(left, right);
  if (isRawNumber(left)) return isRawNumber(right) && left.rawJSON === right.rawJSON;
  return isJsonObject(left) && isJsonObject(right) && equalObjects(left, right);
}

function equalLists(left: readonly Json[], right: readonly Json[]): boolean {
  return left.length === right.length && left.every((item, index) => equalJson(item, right[index]));
}

function equalObjects(left: JsonObject, right: JsonObject): boolean {
  for (const key in left) if (!equalJson(left[key], right[key])) return false;
  for (const key in right) {
    if (right[key] !== undefined && left[key] === undefined) return false;
  }
  return true;
}

/** Walks down objects; undefined where the path ends early. */
export function valueAt(value: Json | undefined, ...path: readonly string[]): Json | undefined {
  let current = value;
  for (const field of path) {
    if (!isJsonObject(current)) return undefined;
    current = current[field];
  }
  return current;
}

export function objectAt(value: Json | undefined, ...path: readonly string[]): JsonObject {
  const found = valueAt(value, ...path);
  return isJsonObject(found) ? found : {};
}

export function listAt(value: Json | undefined, ...path: readonly string[]): readonly Json[] {
  const found = valueAt(value, ...path);
  return Array.isArray(found) ? found : [];
}

export function textAt(value: Json | undefined, ...path: readonly string[]): string {
  const found = valueAt(value, ...path);
  return typeof found === 'string' ? found : '';
}
