/** Reads built-in-types.txt: the fields of every built-in type, as the release it was taken from has them. */

import { readFileSync } from 'node:fs';
import type { Json } from '../json.ts';
import type { Field, ListType, Presence, Schema, SchemaType } from '../schema/schema.ts';

interface NamedType {
  readonly type: 'object';
  readonly name: string;
  readonly fields: Map<string, Field>;
  readonly isAtomic?: boolean;
}

const scalarTypes: Readonly<Record<string, { type: SchemaType; format?: string }>> = {
  string: { type: 'string' },
  boolean: { type: 'boolean' },
  int32: { type: 'integer', format: 'int32' },
  int64: { type: 'integer', format: 'int64' },
  integer: { type: 'integer', format: 'int64' },
  double: { type: 'number' },
  number: { type: 'number' },
  bytes: { type: 'bytes' },
  object: { type: 'any' },
  any: { type: 'any' },
  'meta.v1.Time': { type: 'time' },
  'meta.v1.MicroTime': { type: 'micro-time' },
  'util.intstr.IntOrString': { type: 'int-or-string' },
  'api.resource.Quantity': { type: 'quantity' },
};

const presences: Readonly<Record<string, Presence>> = {
  '': 'always',
  '?': 'unless-zero',
  '*': 'pointer',
  '!': 'pointer-always',
};

export function readBuiltInTypes(): ReadonlyMap<string, Schema> {
  const text = readFileSync(new URL('built-in-types.txt', import.meta.url), 'utf8');
  return parseTypes(text);
}

export function parseTypes(text: string): ReadonlyMap<string, Schema> {
  const types = new Map<string, NamedType>();
  // Types refer to each other in circles: the names come first, their fields then.
  const blocks = text.split(/\n(?=\S)/).map((block) => block.trimEnd().split('\n'));
  for (const [heading = ''] of blocks) {
    const [name = '', ...words] = heading.split(' ');
    const isAtomic = words.includes('atomic');
    const short = name.replace(/^.*\./, '');
    const atomic = isAtomic ? { isAtomic } : {};
    types.set(name, { type: 'object', name: short, fields: new Map(), ...atomic });
  }
  for (const [heading = '', ...lines] of blocks) {
    const fields = types.get(heading.split(' ')[0] ?? '')?.fields;
    for (const line of lines) {
      const { name, field } = parseField(line, types);
      fields?.set(name, field);
    }
  }
  return types;
}

const fieldLine = /^ {2}([\w$-]+)([?*!]?) (\S+)((?: [a-zA-Z]+(?:\([^)]*\))?)*)(?: =(.*))?$/;

function parseField(line: string, types: ReadonlyMap<string, Schema>) {
  const match = fieldLine.exec(line);
  if (match === null) throw new Error(`cannot read the line "${line}"`);
  const [, name = '', mark = '', type = '', words = '', value] = match;
  const merging = words.trim().split(' ');
  const mergeKey = merging.map((word) => /^merge(?:\((.*)\))?$/.exec(word)).find(Boolean);
  const field: Field = {
    schema: schemaOf(type, merging, types),
    presence: presences[mark] ?? 'unless-zero',
    ...(mergeKey ? { mergeKey: mergeKey[1] ?? '' } : {}),
    ...(merging.includes('retainKeys') ? { retainsKeys: true } : {}),
    ...(value === undefined ? {} : { default: JSON.parse(value) as Json }),
  };
  return { name, field };
}

function schemaOf(
  type: string,
  merging: readonly string[],
  types: ReadonlyMap<string, Schema>,
): Schema {
  if (type.startsWith('[]')) return listOf(schemaOf(type.slice(2), [], types), merging);
  if (type.startsWith('map[]')) {
    const isAtomic = merging.includes('atomic') ? { isAtomic: true } : {};
    return { type: 'object', values: schemaOf(type.slice(5), [], types), ...isAtomic };
  }
  return types.get(type) ?? scalarTypes[type] ?? { type: 'any' };
}

function listOf(items: Schema, merging: readonly string[]): Schema {
  const keys = merging.map((word) => /^map\((.*)\)$/.exec(word)?.[1]).find(Boolean);
  if (keys !== undefined) {
    return { type: 'list', items, listType: 'map', listKeys: keys.split(',') };
  }
  const listType: ListType = merging.includes('set') ? 'set' : 'atomic';
  return { type: 'list', items, listType };
}
