/** Secrets and ConfigMaps: named pieces of data. */

import type { ApiObject } from '../api-object.ts';
import { type FieldCause, forbiddenField, invalidValue, required } from '../field-cause.ts';
import { equalJson, objectAt, valueAt } from '../json.ts';
import type { Strategy } from '../resource.ts';

const keyText =
  "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')";

function validateKeys(object: ApiObject, field: string): readonly FieldCause[] {
  return Object.keys(objectAt(object, field)).flatMap((key) =>
    /^[-._a-zA-Z0-9]+$/.test(key) ? [] : [invalidValue(`${field}[${key}]`, key, keyText)],
  );
}

function validateImmutable(
  object: ApiObject,
  old: ApiObject | undefined,
  fields: readonly string[],
): readonly FieldCause[] {
  if (old === undefined || valueAt(old, 'immutable') !== true) return [];
  const changed = fields.filter((field) => !equalJson(object[field], old[field]));
  const isReleased = valueAt(object, 'immutable') !== true;
  return [...(isReleased ? ['immutable'] : []), ...changed].map((field) =>
    forbiddenField(field, 'field is immutable when `immutable` is set'),
  );
}

export const configMapStrategy: Strategy = {
  validate: (configMap, old) => [
    ...validateImmutable(configMap, old, ['data', 'binaryData']),
    ...validateKeys(configMap, 'data'),
    ...validateKeys(configMap, 'binaryData'),
    ...Object.keys(objectAt(configMap, 'data'))
      .filter((key) => objectAt(configMap, 'binaryData')[key] !== undefined)
      .map((key) => invalidValue(`data[${key}]`, key, 'duplicate of key present in binaryData')),
  ],
};

const neededKeys: Readonly<Record<string, readonly string[]>> = {
  'kubernetes.io/tls': ['tls.crt', 'tls.key'],
  'kubernetes.io/dockerconfigjson': ['.dockerconfigjson'],
};

export const secretStrategy: Strategy = {
  setDefaults: (secret) => {
    secret['type'] ??= 'Opaque';
    const plain = Object.entries(objectAt(secret, 'stringData'));
    delete secret['stringData'];
    if (plain.length === 0) return;
    const encoded = plain.map(([key, text]) => [key, Buffer.from(String(text)).toString('base64')]);
    secret['data'] = { ...objectAt(secret, 'data'), ...Object.fromEntries(encoded) };
  },
  validate: (secret, old) => {
    const type = String(secret['type']);
    const isChanged = old !== undefined && old['type'] !== type;
    return [
      ...validateImmutable(secret, old, ['data']),
      ...(isChanged ? [invalidValue('type', type, 'field is immutable')] : []),
      ...validateKeys(secret, 'data'),
      ...(neededKeys[type] ?? [])
        .filter((key) => objectAt(secret, 'data')[key] === undefined)
        .map((key) => required(`data[${key}]`, '')),
    ];
  },
};
