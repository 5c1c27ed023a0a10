/** The CRDs of `deploy/crds` as a flat list of fields, to compare with the fixture, the readers and the reference pages. */

import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

const root = new URL('..', import.meta.url).pathname;

/** As much of an OpenAPI schema as our CRDs use. */
export interface Schema {
  readonly type: 'object' | 'array' | 'string' | 'integer' | 'boolean';
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema;
  readonly items?: Schema;
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly format?: string;
  readonly default?: unknown;
  readonly required?: readonly string[];
}

export interface Crd {
  readonly kind: string;
  readonly group: string;
  readonly plural: string;
  readonly isNamespaced: boolean;
  readonly versions: readonly { readonly name: string; readonly schema: Schema }[];
  /** The object itself, as it is applied. */
  readonly object: unknown;
}

export interface Field {
  readonly kind: string;
  readonly versions: readonly string[];
  /** `[]` stands for any element of a list. */
  readonly path: string;
  readonly type: string;
  /** By version, where a version fills one in. */
  readonly default: Readonly<Record<string, unknown>>;
  readonly about: string;
}

interface RawCrd {
  readonly spec: {
    readonly group: string;
    readonly scope: string;
    readonly names: { readonly kind: string; readonly plural: string };
    readonly versions: readonly {
      readonly name: string;
      readonly schema: { readonly openAPIV3Schema: Schema };
    }[];
  };
}

export function loadCrds(): readonly Crd[] {
  const files = globSync('deploy/crds/*.yaml', { cwd: root }).sort();
  return files.map((file) => {
    const object: RawCrd = parse(readFileSync(join(root, file), 'utf8'));
    const { group, scope, names, versions } = object.spec;
    return {
      ...names,
      group,
      isNamespaced: scope === 'Namespaced',
      versions: versions.map(({ name, schema }) => ({ name, schema: schema.openAPIV3Schema })),
      object,
    };
  });
}

/** Every field below `spec` and `status`, those of several versions as one. */
export function fieldsOf({ kind, versions }: Crd): readonly Field[] {
  const steps = versions
    .toSorted((left, right) => left.name.localeCompare(right.name))
    .flatMap(({ name, schema }) => stepsOf(schema).map((step) => ({ ...step, version: name })));
  const byPath = Map.groupBy(steps, ({ path }) => path);
  return [...byPath].map(([path, found]) => {
    const { field, isRequired } = found[0] as Step;
    const filled = found.filter((step) => step.field.default !== undefined);
    return {
      kind,
      versions: found.map(({ version }) => version),
      path,
      type: `${typeOf(field)}${isRequired ? ', required' : ''}`,
      default: Object.fromEntries(filled.map((step) => [step.version, step.field.default])),
      about: field.description ?? '',
    };
  });
}

function stepsOf({ properties }: Schema): readonly Step[] {
  return ['spec', 'status'].flatMap((part) => [...walk(part, properties?.[part])]);
}

interface Step {
  readonly path: string;
  readonly field: Schema;
  readonly isRequired: boolean;
}

function* walk(path: string, schema: Schema | undefined): Generator<Step> {
  for (const [name, field] of Object.entries(schema?.properties ?? {})) {
    const below = `${path}.${name}`;
    yield { path: below, field, isRequired: schema?.required?.includes(name) ?? false };
    if (field.type === 'object') yield* walk(below, field);
    if (field.items?.type === 'object') yield* walk(`${below}[]`, field.items);
  }
}

function typeOf(schema: Schema): string {
  if (schema.items !== undefined) return `list of ${typeOf(schema.items)}`;
  if (schema.additionalProperties !== undefined)
    return `map of ${typeOf(schema.additionalProperties)}`;
  const words = schema.enum?.filter((word) => word !== '') ?? [];
  if (words.length > 0) return words.join(' | ');
  if (schema.type === 'integer') return `integer${boundsOf(schema)}`;
  return schema.format === 'date-time' ? 'time' : schema.type;
}

function boundsOf({ minimum, maximum }: Schema): string {
  if (minimum === undefined && maximum === undefined) return '';
  return maximum === undefined ? ` from ${minimum}` : ` ${minimum} to ${maximum}`;
}

/** What the API server fills in: a default applies wherever its parent is. */
export function withDefaults(schema: Schema, value: unknown): unknown {
  if (Array.isArray(value) && schema.items !== undefined) {
    const { items } = schema;
    return value.map((item) => withDefaults(items, item));
  }
  if (typeof value !== 'object' || value === null || schema.properties === undefined) return value;
  const given = value as Readonly<Record<string, unknown>>;
  const filled = Object.entries(schema.properties).flatMap(([name, field]) => {
    const child = given[name] ?? field.default;
    return child === undefined ? [] : [[name, withDefaults(field, child)]];
  });
  return { ...given, ...Object.fromEntries(filled) };
}
