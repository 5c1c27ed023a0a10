/** JSON Patch (RFC 6902). Throws PatchError where an operation cannot be carried out. */

import { cloneJson, equalJson, isJsonObject, type Json, type JsonObject } from '../json.ts';
import { PatchError } from './patch-error.ts';

export function applyJsonPatch(document: JsonObject, patch: Json): Json {
  if (!Array.isArray(patch)) throw new PatchError('a JSON patch is a list of operations');
  let current: Json = cloneJson(document);
  for (const operation of patch) {
    if (!isJsonObject(operation)) throw new PatchError('an operation is an object');
    current = applyOperation(current, operation);
  }
  return current;
}

type Operation = (document: Json, path: readonly string[], operation: JsonObject) => Json;

const operations: Readonly<Record<string, Operation>> = {
  add: (document, path, { value = null }) => add(document, path, value),
  remove,
  // As in the real server, a field that is not there is no obstacle.
  replace: (document, path, { value = null }) =>
    path.length === 0 ? value : put(document, path, value),
  move: (document, path, operation) => {
    const from = readPointer(operation, 'from');
    const moved = find(document, from);
    return add(remove(document, from), path, moved);
  },
  copy: (document, path, operation) =>
    add(document, path, cloneJson(find(document, readPointer(operation, 'from')))),
  test: (document, path, { value = null }) => {
    if (equalJson(findOrNull(document, path), value)) return document;
    throw new PatchError(`testing value /${path.join('/')} failed`);
  },
};

function applyOperation(document: Json, operation: JsonObject): Json {
  const { op } = operation;
  const carryOut = operations[String(op)];
  if (carryOut === undefined) throw new PatchError(`unexpected kind: ${String(op)}`);
  return carryOut(document, readPointer(operation, 'path'), operation);
}

/** RFC 6901. */
function readPointer(operation: JsonObject, field: string): readonly string[] {
  const text = operation[field];
  if (typeof text !== 'string' || (text !== '' && !text.startsWith('/'))) {
    throw new PatchError(`${field} is not a JSON pointer`);
  }
  return text
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
}

function find(document: Json, path: readonly string[]): Json {
  let current: Json | undefined = document;
  for (const part of path) {
    if (Array.isArray(current)) current = current[indexOf(part, current.length - 1)];
    else current = isJsonObject(current) ? current[part] : undefined;
    if (current === undefined) throw new PatchError(`missing path: /${path.join('/')}`);
  }
  return current;
}

function findOrNull(document: Json, path: readonly string[]): Json {
  const parent = find(document, path.slice(0, -1));
  const last = path.at(-1);
  if (last === undefined) return document;
  return isJsonObject(parent) ? (parent[last] ?? null) : find(document, path);
}

function indexOf(part: string, most: number): number {
  const index = Number(part);
  if (!/^(0|[1-9]\d*)$/.test(part) || index > most) {
    throw new PatchError(`invalid index ${part}`);
  }
  return index;
}

function add(document: Json, path: readonly string[], value: Json): Json {
  const last = path.at(-1);
  if (last === undefined) return value;
  const parent = find(document, path.slice(0, -1));
  if (Array.isArray(parent)) {
    parent.splice(last === '-' ? parent.length : indexOf(last, parent.length), 0, value);
  } else if (isJsonObject(parent)) {
    parent[last] = value;
  } else {
    throw new PatchError(`cannot add to /${path.join('/')}`);
  }
  return document;
}

function put(document: Json, path: readonly string[], value: Json): Json {
  const parent = find(document, path.slice(0, -1));
  const last = path.at(-1) ?? '';
  if (Array.isArray(parent)) parent[indexOf(last, parent.length - 1)] = value;
  else if (isJsonObject(parent)) parent[last] = value;
  return document;
}

function remove(document: Json, path: readonly string[]): Json {
  find(document, path);
  const last = path.at(-1);
  if (last === undefined) return null;
  const parent = find(document, path.slice(0, -1));
  if (Array.isArray(parent)) parent.splice(Number(last), 1);
  else if (isJsonObject(parent)) delete parent[last];
  return document;
}
