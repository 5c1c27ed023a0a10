/** A custom kind with a field for every rule that the contract looks at. */

import type { JsonObject } from '../json.ts';
import type { World } from './contract-world.ts';

const spec: JsonObject = {
  type: 'object',
  required: ['name'],
  properties: {
    name: { type: 'string', minLength: 2, maxLength: 5, pattern: '^[a-z]+$' },
    mode: { type: 'string', enum: ['auto', 'local', 'remote'], default: 'local' },
    count: { type: 'integer', minimum: 1, maximum: 10, default: 3 },
    small: { type: 'integer', format: 'int32' },
    port: { 'x-kubernetes-int-or-string': true },
    since: { type: 'string', format: 'date-time' },
    subnet: { type: 'string', maxLength: 50 },
    address: { type: 'string', maxLength: 50 },
    list: {
      type: 'array',
      maxItems: 2,
      items: {
        type: 'string',
        maxLength: 10,
        'x-kubernetes-validations': [{ rule: 'size(self) == 1' }],
      },
    },
    set: { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'string' } },
    keyed: {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['key'],
      items: {
        type: 'object',
        required: ['key'],
        properties: { key: { type: 'string' }, value: { type: 'string', default: 'v' } },
      },
    },
    labels: { type: 'object', additionalProperties: { type: 'string' } },
    free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    nested: {
      type: 'object',
      default: {},
      properties: { inner: { type: 'string', default: 'x' } },
    },
  },
  'x-kubernetes-validations': [
    { rule: '!has(self.small) || self.small < self.count', message: 'small must be below count' },
    {
      rule: '!has(self.subnet) || isCIDR(self.subnet)',
      messageExpression: "self.subnet + ' is no network'",
      fieldPath: '.subnet',
      reason: 'FieldValueForbidden',
    },
    {
      rule: '!has(self.subnet) || !has(self.address) || !isCIDR(self.subnet) || (isIP(self.address) && ip(self.address).family() == cidr(self.subnet).ip().family() && cidr(self.subnet).containsIP(self.address))',
      message: 'address outside subnet',
    },
    { rule: 'self.name == oldSelf.name', message: 'name is immutable' },
  ],
};

const status: JsonObject = {
  type: 'object',
  properties: { ready: { type: 'boolean' }, big: { type: 'integer', format: 'int64' } },
};

/** `v2` is stored; `v1` is looser, and has another default. */
export function definition(group: string): JsonObject {
  const version = (name: string, storage: boolean, properties: JsonObject) => ({
    name,
    served: true,
    storage,
    subresources: { status: {} },
    schema: { openAPIV3Schema: { type: 'object', properties } },
  });
  const loose = {
    type: 'object',
    properties: { name: { type: 'string' }, mode: { type: 'string', default: 'auto' } },
  };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `things.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { kind: 'Thing', plural: 'things', shortNames: ['th'] },
      versions: [
        version('v2', true, { spec, status }),
        version('v1', false, { spec: loose, status }),
      ],
    },
  };
}

/** Creates the definition and waits until its objects can be listed: the real server takes a moment. */
export async function until(world: World, crd: JsonObject, list: string): Promise<void> {
  const created = await world.admin.post(
    '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
    crd,
  );
  if (created.status !== 201) throw new Error(JSON.stringify(created.body));
  for (let attempt = 0; attempt < 1000; attempt += 1) {
    if ((await world.admin.get(list)).status === 200) return;
  }
  throw new Error(`${list} is not served`);
}
