/**
 * JSON as an API server sends it, without `metadata.managedFields`: who set which field is often a third of an
 * object's bytes, and nothing that we decide by. Cutting it out before parsing spares the parsing and the garbage,
 * and searching bytes is done by native code.
 */

import type { KubeObject } from '../model/kube-object.ts';

/**
 * Within a JSON string the quotes would be escaped, so this is always a field; and no kind that we read has another
 * list of this name.
 */
const opening = Buffer.from(',"managedFields":[');
const bracket = 0x5d;
const brace = 0x7d;
const comma = 0x2c;
const quote = 0x22;
const backslash = 0x5c;

/** Throws a SyntaxError as `JSON.parse` does. */
export function parseJson(json: Buffer): unknown {
  const short = withoutManagedFields(json);
  if (short === undefined) return JSON.parse(json.toString('utf8'));
  try {
    return JSON.parse(short);
  } catch {
    // Cut within a list inside the list, it has a bracket too many and cannot be JSON: then everything is parsed.
    return JSON.parse(json.toString('utf8'));
  }
}

function withoutManagedFields(json: Buffer): string | undefined {
  let text = '';
  let resume = 0;
  for (let at = json.indexOf(opening); at !== -1; at = json.indexOf(opening, resume)) {
    const end = endOfList(json, at + opening.length);
    if (end === undefined) break;
    text += json.toString('utf8', resume, at);
    resume = end;
  }
  return resume === 0 ? undefined : text + json.toString('utf8', resume);
}

/**
 * Where the list that was just opened ends, or undefined where that cannot be told by looking at single bytes. A
 * bracket before a quote or a backslash is within a string, since neither may follow the end of a list. The end that
 * we know is that of `metadata`, too: after it a field begins, and a quote before a letter can only open a string.
 */
function endOfList(json: Buffer, start: number): number | undefined {
  for (let at = json.indexOf(bracket, start); at !== -1; at = json.indexOf(bracket, at + 1)) {
    const after = json[at + 1] === brace ? at + 2 : at + 1;
    const next = json[after];
    if (next === quote || next === backslash) continue;
    const isEnd = next === comma && json[after + 1] === quote && isLetter(json[after + 2]);
    return isEnd && after === at + 2 ? at + 1 : undefined;
  }
  return undefined;
}

function isLetter(byte: number | undefined): boolean {
  const lowerCase = (byte ?? 0) | 0x20;
  return lowerCase >= 0x61 && lowerCase <= 0x7a;
}

/** For what could not be cut: a server may write JSON with spaces. Changes the object in hand. */
export function dropManagedFields(object: KubeObject): KubeObject {
  const { metadata } = object;
  if ('managedFields' in metadata) Reflect.deleteProperty(metadata, 'managedFields');
  return object;
}
