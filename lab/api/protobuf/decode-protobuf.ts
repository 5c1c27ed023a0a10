/**
 * Kubernetes' protobuf, in which kubectl sends what it makes up itself (`kubectl create namespace`): an envelope with
 * kind and version, in it the object. It becomes the JSON that the same client would have sent otherwise.
 */

import { readFileSync } from 'node:fs';
import type { Json, JsonObject } from '../json.ts';
import { readWire, type WireValue } from './read-wire.ts';

interface MessageField {
  readonly name: string;
  readonly type: string;
  readonly isInline: boolean;
}

type Messages = ReadonlyMap<string, ReadonlyMap<number, MessageField>>;

let known: Messages | undefined;

/** Read when the first such request comes. */
function messages(): Messages {
  known ??= parseMessages(readFileSync(new URL('messages.txt', import.meta.url), 'utf8'));
  return known;
}

function parseMessages(text: string): Messages {
  return new Map(
    text.split(/\n(?=\S)/).map((block) => {
      const [name = '', ...lines] = block.trimEnd().split('\n');
      return [name, new Map(lines.map(parseField))];
    }),
  );
}

function parseField(line: string): [number, MessageField] {
  const [number, name = '', type = '', inline] = line.trim().split(' ');
  return [Number(number), { name, type, isInline: inline === 'inline' }];
}

const magic = Buffer.from('k8s\0');

/** Undefined when the bytes are no such envelope, or of a kind that is not known. */
export function decodeProtobuf(bytes: Buffer): JsonObject | undefined {
  if (!bytes.subarray(0, 4).equals(magic)) return undefined;
  const envelope = fieldsOf(bytes.subarray(4));
  const typeMeta = fieldsOf(asBytes(envelope.get(1)?.[0]));
  const [apiVersion = '', kind = ''] = [1, 2].map((number) => asText(typeMeta.get(number)?.[0]));
  const message = messageName(apiVersion, kind);
  if (!messages().has(message)) return undefined;
  return { apiVersion, kind, ...decodeMessage(message, asBytes(envelope.get(2)?.[0])) };
}

/** `rbac.authorization.k8s.io/v1`, Role → `rbac.v1.Role`. Options of a request are at home in `meta`. */
function messageName(apiVersion: string, kind: string): string {
  const [group, version] = apiVersion.includes('/') ? apiVersion.split('/') : ['core', apiVersion];
  if (kind === 'DeleteOptions') return 'meta.v1.DeleteOptions';
  return `${group?.split('.')[0] ?? ''}.${version ?? ''}.${kind}`;
}

function fieldsOf(bytes: Buffer): Map<number, WireValue[]> {
  const fields = new Map<number, WireValue[]>();
  for (const { number, value } of readWire(bytes)) {
    const values = fields.get(number);
    if (values === undefined) fields.set(number, [value]);
    else values.push(value);
  }
  return fields;
}

function decodeMessage(message: string, bytes: Buffer): JsonObject {
  const result: JsonObject = {};
  for (const [number, values] of fieldsOf(bytes)) {
    const field = messages().get(message)?.get(number);
    if (field === undefined) continue;
    const value = decodeField(field.type, values);
    if (field.isInline) Object.assign(result, value);
    else if (value !== undefined) result[field.name] = value;
  }
  return result;
}

function decodeField(type: string, values: readonly WireValue[]): Json | undefined {
  if (type.startsWith('map[]')) return decodeMap(type.slice(5), values);
  if (!type.startsWith('[]')) return decodeValue(type, values.at(-1));
  return values.map((value) => decodeValue(type.slice(2), value) ?? null);
}

function decodeMap(type: string, values: readonly WireValue[]): JsonObject {
  return Object.fromEntries(
    values.map((value) => {
      const entry = fieldsOf(asBytes(value));
      const [key, content] = [entry.get(1)?.[0], entry.get(2)?.[0]];
      return [asText(key), decodeValue(type, content ?? Buffer.alloc(0)) ?? null];
    }),
  );
}

/** Types that JSON shows otherwise than by their fields. */
const special: Readonly<Record<string, (bytes: Buffer) => Json | undefined>> = {
  'meta.v1.Time': decodeTime,
  'meta.v1.MicroTime': decodeTime,
  'api.resource.Quantity': (bytes) => asText(fieldsOf(bytes).get(1)?.[0]),
  'util.intstr.IntOrString': (bytes) => {
    const { type, intVal, strVal } = decodeMessage('util.intstr.IntOrString', bytes);
    return (type === 1 ? strVal : intVal) ?? (type === 1 ? '' : 0);
  },
  'meta.v1.FieldsV1': decodeRaw,
  'pkg.runtime.RawExtension': decodeRaw,
};

function decodeRaw(bytes: Buffer): Json | undefined {
  const raw = asText(fieldsOf(bytes).get(1)?.[0]);
  return raw === '' ? undefined : (JSON.parse(raw) as Json);
}

/** An empty message is no time at all. */
function decodeTime(bytes: Buffer): Json | undefined {
  const { seconds, nanos = 0 } = decodeMessage('meta.v1.Time', bytes);
  if (seconds === undefined) return undefined;
  return new Date(Number(seconds) * 1000 + Number(nanos) / 1e6).toISOString();
}

function decodeValue(type: string, value: WireValue | undefined): Json | undefined {
  if (value === undefined) return undefined;
  switch (type) {
    case 'string':
      return asText(value);
    case 'bytes':
      return asBytes(value).toString('base64');
    case 'bool':
      return value === 1n;
    case 'double':
      return asBytes(value).readDoubleLE();
    default:
      return typeof value === 'bigint' ? Number(value) : decodeInner(type, value);
  }
}

function decodeInner(type: string, bytes: Buffer): Json | undefined {
  const read = special[type];
  if (read !== undefined) return read(bytes);
  const message = decodeMessage(type, bytes);
  // A list that has a name of its own in Go.
  const names = [...(messages().get(type)?.values() ?? [])].map(({ name }) => name);
  return names.length === 1 && names[0] === 'items' ? (message['items'] ?? []) : message;
}

function asBytes(value: WireValue | undefined): Buffer {
  return Buffer.isBuffer(value) ? value : Buffer.alloc(0);
}

function asText(value: WireValue | undefined): string {
  return asBytes(value).toString('utf8');
}
