/** The shapes of kinds in OpenAPI v3: named types refer to each other, as they may contain themselves. */

import type { JsonObject } from '../json.ts';
import type { Resource } from '../resource.ts';
import type { Schema } from '../schema/schema.ts';

export function kindOf({ group, kind, version }: Resource): JsonObject {
  return { group, kind, version };
}

export function describeSchemas(resources: readonly Resource[]): JsonObject {
  const names = new Names();
  const roots = resources.map((resource) => {
    const { openApi, schema } = resource;
    const shape = openApi ?? describeStruct(schema, names);
    const kinds = { 'x-kubernetes-group-version-kind': [kindOf(resource)] };
    return [schemaName(resource), { ...shape, ...kinds }] as const;
  });
  return { ...Object.fromEntries(names.describeAll()), ...Object.fromEntries(roots) };
}

function schemaName({ group, version, kind, isCustom }: Resource): string {
  if (isCustom) return [...group.split('.').reverse(), version, kind].join('.');
  return `io.k8s.api.${group === '' ? 'core' : group.split('.')[0]}.${version}.${kind}`;
}

/** The last part of a name is what people get to see. */
const prefix = 'io.k8s.type';
const intOrString = `${prefix}.IntOrString`;
const quantity = `${prefix}.Quantity`;

/** Names for the types that are met on the way; two types may have the same short name. */
class Names {
  readonly #names = new Map<Schema, string>();

  refer(schema: Schema): JsonObject {
    const known = this.#names.get(schema) ?? this.#invent(schema);
    return { $ref: `#/components/schemas/${known}` };
  }

  #invent(schema: Schema): string {
    const short = schema.name ?? '';
    const others = [...this.#names.values()].filter((it) => it.endsWith(`.${short}`));
    const name = `${prefix}${others.length === 0 ? '' : others.length}.${short}`;
    this.#names.set(schema, name);
    return name;
  }

  /** Describing one may bring up others: the map grows while it is read. */
  *describeAll(): Generator<readonly [string, JsonObject]> {
    yield [
      intOrString,
      { format: 'int-or-string', oneOf: [{ type: 'integer' }, { type: 'string' }] },
    ];
    yield [quantity, { oneOf: [{ type: 'string' }, { type: 'number' }] }];
    for (const [schema, name] of this.#names) yield [name, describeStruct(schema, this)];
  }
}

const plainTypes: Readonly<Record<string, JsonObject>> = {
  time: { type: 'string', format: 'date-time' },
  'micro-time': { type: 'string', format: 'date-time' },
  bytes: { type: 'string', format: 'byte' },
  any: { type: 'object' },
  'int-or-string': { $ref: `#/components/schemas/${intOrString}` },
  quantity: { $ref: `#/components/schemas/${quantity}` },
};

function describeStruct({ fields }: Schema, names: Names): JsonObject {
  const properties = [...(fields ?? [])].map(([name, { schema }]) => [
    name,
    describe(schema, names),
  ]);
  return { type: 'object', properties: Object.fromEntries(properties) };
}

function describe(schema: Schema, names: Names): JsonObject {
  const { type, fields, values, items, name } = schema;
  if (fields !== undefined) {
    return name === undefined ? describeStruct(schema, names) : names.refer(schema);
  }
  if (type === 'list') {
    return {
      type: 'array',
      items: items === undefined ? { type: 'object' } : describe(items, names),
    };
  }
  if (values !== undefined)
    return { type: 'object', additionalProperties: describe(values, names) };
  return plainTypes[type] ?? { type };
}
