/** One version of a custom resource as the server serves it. */

import type { ApiObject } from '../api-object.ts';
import { evaluateRules } from '../cel/evaluate-rules.ts';
import type { FieldCause } from '../field-cause.ts';
import { cloneJson, isJsonObject, type JsonObject } from '../json.ts';
import { allVerbs } from '../kinds/built-in-resources.ts';
import type { Resource, Strategy } from '../resource.ts';
import { compileSchema } from '../schema/compile-schema.ts';
import { pruneNulls, pruneUnknown } from '../schema/prune.ts';
import type { Schema } from '../schema/schema.ts';
import { setSchemaDefaults } from '../schema/set-defaults.ts';
import { blocksRules, rulesNotChecked, validateValue } from '../schema/validate-value.ts';
import { decodeTyped } from '../types/decode-typed.ts';
import type { Crd } from './crd.ts';

export function customResources(crd: Crd, metadataSchema: Schema): readonly Resource[] {
  const schemas = new Map(crd.versions.map(({ name, schema }) => [name, compileRoot(schema)]));
  const stored = crd.versions.find(({ isStored }) => isStored)?.name ?? '';
  return crd.versions
    .filter(({ isServed }) => isServed)
    .map(({ name, hasStatus, selectableFields, printerColumns, schema: openApi }) => ({
      group: crd.group,
      version: name,
      plural: crd.plural,
      singular: crd.singular,
      kind: crd.kind,
      isNamespaced: crd.isNamespaced,
      ...(crd.shortNames.length > 0 ? { shortNames: crd.shortNames } : {}),
      ...(crd.categories.length > 0 ? { categories: crd.categories } : {}),
      collection: `${crd.plural}.${crd.group}`,
      schema: withMetadata(schemas.get(name) ?? { type: 'object' }, metadataSchema),
      hasStatus,
      hasGeneration: true,
      isCustom: true,
      strategy: makeStrategy({ crd, version: name, stored, schemas, metadataSchema }),
      ...(selectableFields.length > 0 ? { selectableFields } : {}),
      printerColumns,
      openApi,
      allowsBlindUpdate: false,
      allowsCreateOnUpdate: false,
      returnsDeleted: false,
      verbs: allVerbs,
    }));
}

/** Without what the server knows better than any schema: kind, version and metadata. */
function compileRoot(json: JsonObject): Schema {
  const schema = compileSchema(json);
  const fields = new Map(schema.fields);
  for (const name of ['apiVersion', 'kind', 'metadata']) fields.delete(name);
  return { ...schema, fields };
}

/** What every object has, so that field managers see its labels and finalizers as they are. */
function withMetadata(schema: Schema, metadata: Schema): Schema {
  const text: Schema = { type: 'string' };
  return {
    ...schema,
    fields: new Map([
      ...(schema.fields ?? []),
      ['apiVersion', { schema: text }],
      ['kind', { schema: text }],
      ['metadata', { schema: metadata }],
    ]),
  };
}

interface Parts {
  readonly crd: Crd;
  readonly version: string;
  readonly stored: string;
  readonly schemas: ReadonlyMap<string, Schema>;
  readonly metadataSchema: Schema;
}

function makeStrategy({ crd, version, stored, schemas, metadataSchema }: Parts): Strategy {
  const schema = schemas.get(version) ?? { type: 'object' };
  const validate = (object: ApiObject, old: ApiObject | undefined) =>
    validateCustom(schema, object, old);
  const show = showing(`${crd.group}/${version}`, schema, schemas);
  return {
    decode: (body, keepsNulls) => decodeCustom({ schema, metadataSchema, keepsNulls }, body),
    fromStorage: show,
    toStorage: (object) => ({ ...object, apiVersion: `${crd.group}/${stored}` }),
    validate,
    validateStatus: validate,
    prepareStatus: keepMetadata,
    statusIgnores: [['f:spec'], ['f:metadata']],
  };
}

/** Only the status is taken; the note about who wrote it lives in the metadata. */
function keepMetadata(object: ApiObject, old: ApiObject): void {
  const { managedFields } = object.metadata;
  object.metadata = cloneJson(old.metadata);
  if (managedFields !== undefined) object.metadata.managedFields = managedFields;
}

interface Decoding {
  readonly schema: Schema;
  readonly metadataSchema: Schema;
  readonly keepsNulls: boolean;
}

function decodeCustom({ schema, metadataSchema, keepsNulls }: Decoding, body: JsonObject) {
  const { metadata = {}, ...rest } = body;
  const decoded = decodeTyped(metadataSchema, isJsonObject(metadata) ? metadata : {});
  const dropped: string[] = [];
  const known = pruneUnknown(schema, rest, dropped);
  const pruned = pruneNulls(schema, known, keepsNulls ? 'with-default' : 'all') as JsonObject;
  setSchemaDefaults(schema, pruned);
  return {
    value: { ...pruned, metadata: decoded.value },
    unknown: [...decoded.unknown.map((path) => `metadata.${path}`), ...dropped],
  };
}

/** Stored objects get the defaults of the version they are stored in, and lose what this version does not know. */
function showing(apiVersion: string, schema: Schema, schemas: ReadonlyMap<string, Schema>) {
  const shown = new WeakMap<ApiObject, ApiObject>();
  return (object: ApiObject): ApiObject => {
    const known = shown.get(object);
    if (known !== undefined) return known;
    const own = schemas.get(object.apiVersion.replace(/^.*\//, '')) ?? schema;
    const complete = pruneUnknown(own, cloneJson(object), []);
    setSchemaDefaults(own, complete);
    const pruned = pruneUnknown(schema, complete, []) as ApiObject;
    const result = Object.freeze({ ...pruned, apiVersion });
    if (Object.isFrozen(object)) shown.set(object, result);
    return result;
  };
}

function validateCustom(
  schema: Schema,
  object: ApiObject,
  old: ApiObject | undefined,
): readonly FieldCause[] {
  const causes = validateValue(schema, object, old, '');
  if (blocksRules(causes)) return [...causes, rulesNotChecked];
  return [...causes, ...evaluateRules(schema, object, old, '')];
}
