import assert from 'node:assert/strict';
import { test } from 'node:test';
import { read } from './cursor.ts';
import { isProblem, must } from './parsed.ts';
import { prefixOf } from './prefix.ts';
import { rangeOf } from './range.ts';
import { readNetboxSource } from './read-netbox-source.ts';

const readSource = (spec: unknown) => read(spec, readNetboxSource);
const certificate = '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n';

test("upstream's form is enough: a URL and a tenant", () => {
  const spec = { url: 'https://netbox.example/', tenant: 'lb', aggregation: 'default' };
  assert.deepEqual(must(readSource(spec)), {
    kind: 'netbox',
    url: 'https://netbox.example',
    tenant: 'lb',
    prefixes: [],
    ranges: [],
    vrf: undefined,
    tags: [],
    clusterId: undefined,
    tokenSecret: undefined,
    caBundle: undefined,
    prefixLength: undefined,
  });
});

test('everything else may be said', () => {
  const spec = {
    url: 'https://netbox.example/api/',
    prefixes: ['192.0.2.0/24', '2001:db8::1/64'],
    ranges: ['198.51.100.1-198.51.100.9'],
    vrf: '65000:1',
    tags: ['lb'],
    clusterId: 'berlin',
    tokenSecretRef: { name: 'netbox' },
    caBundle: certificate,
    aggregation: '/32',
  };
  assert.deepEqual(must(readSource(spec)), {
    kind: 'netbox',
    url: 'https://netbox.example',
    tenant: undefined,
    prefixes: [prefixOf('192.0.2.0/24'), prefixOf('2001:db8::/64')],
    ranges: [rangeOf('198.51.100.1-198.51.100.9')],
    vrf: '65000:1',
    tags: ['lb'],
    clusterId: 'berlin',
    tokenSecret: { name: 'netbox', key: 'user-token' },
    caBundle: certificate,
    prefixLength: 32,
  });
});

test('everything that is wrong is named', () => {
  const reading = readSource({
    tenant: ' ',
    prefixes: ['192.0.2.1-192.0.2.9'],
    ranges: ['192.0.2.9-192.0.2.1'],
    tags: [''],
    tokenSecretRef: { key: '' },
    caBundle: 'MIIB',
  });
  assert.deepEqual(isProblem(reading) && reading.problems.map(({ path }) => path), [
    'tenant',
    'prefixes[0]',
    'ranges[0]',
    'url',
    'tags[0]',
    'tokenSecretRef.name',
    'tokenSecretRef.key',
    'caBundle',
  ]);
  assert.deepEqual(readSource({ url: 'https://netbox.example' }), {
    problems: [
      {
        path: '',
        message:
          'name prefixes or ranges to take addresses from, or the tenant whose reserved addresses are used',
      },
    ],
    warnings: [],
  });
});
