import assert from 'node:assert/strict';
import { test } from 'node:test';
import { read } from './cursor.ts';
import type { AddressRequest } from './load-balancer.ts';
import { must } from './parsed.ts';
import { readRequest } from './read-request.ts';

function ask(annotations: Readonly<Record<string, string>>, loadBalancerIP?: string) {
  const prefixed = Object.fromEntries(
    Object.entries(annotations).map(([name, value]) => [`purelb.io/${name}`, value]),
  );
  return read({ annotations: prefixed, spec: { loadBalancerIP } }, (root) => {
    const at = root.fields('annotations', 'spec');
    return readRequest(at.annotations, at.spec);
  });
}

const nothing: AddressRequest = {
  group: undefined,
  addresses: [],
  addressesFrom: undefined,
  sharingKey: undefined,
  multiPool: undefined,
  allowsLocal: false,
  prefersEndpoints: false,
  wantsReEvaluation: false,
  moves: [],
  problems: [],
};

test('a Service that asks for nothing asks for nothing', () => {
  assert.deepEqual(must(ask({})), nothing);
});

test('each annotation asks for one thing', () => {
  const rows: readonly (readonly [name: string, value: string, asked: Partial<AddressRequest>])[] =
    [
      ['service-group', 'lan', { group: 'lan' }],
      ['service-group', '', { group: '' }],
      ['allow-shared-ip', 'key', { sharingKey: 'key' }],
      ['allow-shared-ip', '', {}],
      ['multi-pool', 'true', { multiPool: true }],
      ['multi-pool', 'yes', { multiPool: false }],
      ['re-evaluate', 'true', { wantsReEvaluation: true }],
      ['re-evaluate', 'false', {}],
      ['allow-local', '', { allowsLocal: true }],
      ['node-affinity', 'service-endpoints', { prefersEndpoints: true }],
    ];
  for (const [name, value, asked] of rows) {
    assert.deepEqual(must(ask({ [name]: value })), { ...nothing, ...asked }, `${name}=${value}`);
  }
});

test('addresses are asked for by annotation, else by the deprecated field', () => {
  const rows = [
    [
      { addresses: '192.0.2.7, 2001:db8::7' },
      undefined,
      ['192.0.2.7', '2001:db8::7'],
      'annotation',
    ],
    [{ addresses: '192.0.2.7' }, '192.0.2.9', ['192.0.2.7'], 'annotation'],
    [{}, '192.0.2.9', ['192.0.2.9'], 'spec'],
    [{}, '', [], undefined],
    [{ addresses: ' ' }, '192.0.2.9', [], 'annotation'],
  ] as const;
  for (const [annotations, field, addresses, addressesFrom] of rows) {
    const request = must(ask(annotations, field));
    assert.deepEqual([request.addresses, request.addressesFrom], [addresses, addressesFrom]);
  }
});

test('what cannot be read of it is kept with the request', () => {
  const { problems, addresses, moves, group } = must(
    ask({ addresses: '192.0.2.7,x', move: 'node2', 'service-group': 'lan' }),
  );
  assert.deepEqual([addresses, moves, group], [[], [], 'lan']);
  assert.deepEqual(problems, [
    { path: 'annotations[purelb.io/addresses]', message: '"x" is not an IP address' },
    {
      path: 'annotations[purelb.io/move]',
      message: '"node2" is not a move: write it like 192.0.2.7=node2',
    },
  ]);
});

test('an empty wish is warned of', () => {
  assert.deepEqual(ask({ addresses: '' }).warnings, [
    {
      path: 'annotations[purelb.io/addresses]',
      message: 'is empty and asks for nothing: remove it',
    },
  ]);
});
