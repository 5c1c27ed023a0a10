import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { KubeObject } from '../model/kube-object.ts';
import { KnownLeases } from './known-leases.ts';
import { knowLease } from './known-objects.ts';

const links =
  '{"version":1,"links":[{"name":"eth0","macs":["02:00:5e:10:00:01"],"addresses":["192.0.2.11/24"],"gateways":[]}]}';

interface Parts {
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: unknown;
  readonly annotations: unknown;
  readonly spec: unknown;
}

function lease({ spec, ...metadata }: Parts): KubeObject {
  return { kind: 'Lease', metadata: { namespace: 'p', ...metadata }, spec } as KubeObject;
}

const usual = {
  name: 'purelb-node-a',
  uid: 'u',
  resourceVersion: '7',
  annotations: { 'purelb.io/links': links, 'purelb.io/lifetimes': '149.5' },
  spec: { leaseDurationSeconds: 10, renewTime: '2026-01-01T00:00:00.000000Z' },
};

test('a renewal says when it was, and for how long addresses last; all else is as it was', () => {
  const known = new KnownLeases();
  const first = known.know(lease(usual));
  const renewed = known.know(
    lease({
      ...usual,
      resourceVersion: '8',
      annotations: { ...usual.annotations, 'purelb.io/lifetimes': '299;12=192.0.2.9' },
      spec: { ...usual.spec, renewTime: '2026-01-01T00:00:05.000000Z' },
    }),
  );
  assert.equal(renewed.value?.links, first.value?.links);
  assert.equal(renewed.essence, first.essence);
  assert.deepEqual(
    [renewed.metadata.resourceVersion, renewed.value?.renewTime, renewed.value?.lifetimes.usual],
    ['8', '2026-01-01T00:00:05.000000Z', 299],
  );
});

test('one that could not be read is read when it can be', () => {
  const known = new KnownLeases();
  const spec = { ...usual.spec, renewTime: 'soon' };
  assert.equal(known.know(lease({ ...usual, spec })).value, undefined);
  assert.deepEqual(known.know(lease(usual)), knowLease(lease(usual)));
});

const told = (annotations: object) => ({ annotations: { ...usual.annotations, ...annotations } });
const agreed = (terms: object) => ({ spec: { ...usual.spec, ...terms } });

const others: readonly Partial<Parts>[] = [
  { name: 'purelb-node-b' },
  { name: 'purelb-allocator' },
  { uid: 'v' },
  { resourceVersion: '8' },
  { resourceVersion: 9 },
  { resourceVersion: undefined },
  { annotations: null },
  told({ 'purelb.io/links': '{' }),
  told({ 'purelb.io/subnets': '192.0.2.0/24' }),
  told({ 'purelb.io/lifetimes': '1;2=192.0.2.9' }),
  told({ 'purelb.io/lifetimes': 5 }),
  { spec: null },
  { spec: 'text' },
  agreed({ leaseDurationSeconds: 11 }),
  agreed({ leaseDurationSeconds: 0 }),
  agreed({ renewTime: '2026-01-01T00:00:05Z' }),
  agreed({ renewTime: 'soon' }),
];

/** Nearly as usual, so that one is often followed by its like. */
const parts: fc.Arbitrary<Parts> = fc
  .array(fc.constantFrom(...others), { maxLength: 2 })
  .map((some) => Object.assign({}, usual, ...some));

test('whatever was read before, a Lease is read as it stands', () => {
  fc.assert(
    fc.property(fc.array(parts, { maxLength: 20 }), (all) => {
      const known = new KnownLeases();
      for (const each of all) assert.deepEqual(known.know(lease(each)), knowLease(lease(each)));
    }),
    { numRuns: 300 },
  );
});
