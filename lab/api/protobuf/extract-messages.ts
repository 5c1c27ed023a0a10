/**
 * Writes messages.txt from the `generated.proto` files of a Kubernetes release in the Go module cache: which number
 * each field has on the wire. Run by hand for a new release, after extract-types.ts:
 *
 *   node lab/api/protobuf/extract-messages.ts ~/go/pkg/mod/k8s.io 0.36.3 > lab/api/protobuf/messages.txt
 */

import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readBuiltInTypes } from '../types/built-in-types.ts';

interface ProtoField {
  readonly number: string;
  readonly name: string;
  readonly type: string;
}

const scalar = /^(?:string|bytes|bool|double|u?int(?:32|64))$/;

/** `.k8s.io.api.core.v1.Pod` → `core.v1.Pod`. */
function shorten(name: string, prefix: string): string {
  if (scalar.test(name)) return name;
  return name.startsWith('.') ? name.split('.').slice(-3).join('.') : `${prefix}.${name}`;
}

function readMessages(text: string): readonly (readonly [string, readonly ProtoField[]])[] {
  const prefix = (/^package (\S+);/m.exec(text)?.[1] ?? '').split('.').slice(-2).join('.');
  return [...text.matchAll(/^message (\w+) \{\n([\s\S]*?)^\}/gm)].map(
    ([, name = '', body = '']) => {
      const fields = [
        ...body.matchAll(
          /^ {2}(?:(repeated|optional) )?(?:map<string, ([\w.]+)>|([\w.]+)) (\w+) = (\d+);/gm,
        ),
      ].map(([, label, values, type, field = '', number = '']) => ({
        number,
        name: field,
        type:
          values === undefined
            ? `${label === 'repeated' ? '[]' : ''}${shorten(type ?? '', prefix)}`
            : `map[]${shorten(values, prefix)}`,
      }));
      return [`${prefix}.${name}`, fields] as const;
    },
  );
}

const [modules = '', version = ''] = process.argv.slice(2);
const files = ['api', 'apimachinery'].flatMap((module) =>
  globSync(join(modules, `${module}@v${version}`, '**/generated.proto')),
);
const messages = new Map(files.flatMap((file) => readMessages(readFileSync(file, 'utf8'))));
const types = readBuiltInTypes();

/** A struct inside another one whose fields JSON shows as if they were its own. */
function isInlined(message: string, { name, type }: ProtoField): boolean {
  const fields = types.get(message)?.fields;
  return fields !== undefined && !fields.has(name) && messages.has(type);
}

const wanted = new Set(
  [...types.keys()].concat(
    ...['authorization.v1.SelfSubjectRulesReview', 'pkg.runtime.Unknown'],
    ...['meta.v1.Time', 'meta.v1.MicroTime', 'meta.v1.FieldsV1', 'pkg.runtime.RawExtension'],
    ...['util.intstr.IntOrString', 'api.resource.Quantity'],
  ),
);
for (const name of wanted) {
  for (const { type } of messages.get(name) ?? []) wanted.add(type.replace(/^(?:map)?\[\]/, ''));
}
const lines = [...wanted].sort().flatMap((message) => {
  const fields = messages.get(message);
  if (fields === undefined || message.startsWith('apiextensions.')) return [];
  return [
    message,
    ...fields.map((field) => {
      const inline = isInlined(message, field) ? ' inline' : '';
      return `  ${field.number} ${field.name} ${field.type}${inline}`;
    }),
  ];
});
process.stdout.write(`${lines.join('\n')}\n`);
