import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Store } from '../kube/store.ts';
import type { KubeObject } from '../model/kube-object.ts';
import { KnownBalancers } from './known-balancers.ts';
import { type KnownService, serviceProjection } from './known-service.ts';

function service(name: string, version: number, type = 'LoadBalancer'): KubeObject {
  const metadata = {
    name,
    namespace: 'shop',
    uid: `uid of ${name}`,
    resourceVersion: `${version}`,
  };
  return { metadata, spec: { type } };
}

function watching() {
  const store = new Store<KnownService>({ project: serviceProjection() });
  const balancers = new KnownBalancers(store);
  let version = 0;
  const tell = (name: string, what: 'present' | 'absent' | 'ClusterIP') => {
    version += 1;
    const type = what === 'ClusterIP' ? 'ClusterIP' : 'LoadBalancer';
    const object = store.project(service(name, version, type));
    if (what === 'absent') store.tellAbsent(object);
    else store.tellPresent(object);
  };
  return { store, balancers, tell };
}

test('who stays keeps its place, and the last takes that of one who goes', () => {
  const { balancers, tell } = watching();
  for (const name of ['a', 'b', 'c', 'd']) tell(name, 'present');
  tell('b', 'absent');
  tell('a', 'present');
  assert.deepEqual(
    balancers.all.map(({ key }) => key),
    ['shop/a', 'shop/d', 'shop/c'],
  );
  assert.deepEqual([balancers.indexOf('shop/d'), balancers.indexOf('shop/b')], [1, undefined]);
});

test('the list has what the store has, after any history', () => {
  const steps = fc.array(
    fc.tuple(
      fc.constantFrom('a', 'b', 'c', 'd', 'e'),
      fc.constantFrom('present', 'absent', 'ClusterIP'),
    ),
  );
  fc.assert(
    fc.property(steps, (history) => {
      const { store, balancers, tell } = watching();
      for (const [name, what] of history) tell(name, what);
      const known = [...store.values()].flatMap(({ balancer }) => balancer ?? []);
      assert.deepEqual(new Set(balancers.all), new Set(known));
      assert.equal(balancers.all.length, known.length);
      for (const [index, { key }] of balancers.all.entries()) {
        assert.equal(balancers.indexOf(key), index);
      }
    }),
  );
});

test('a Service that was replaced by one of its name is the new one', () => {
  const { store, balancers, tell } = watching();
  tell('a', 'present');
  tell('b', 'present');
  const object = service('a', 9);
  store.tellPresent(store.project({ ...object, metadata: { ...object.metadata, uid: 'other' } }));
  assert.deepEqual(
    balancers.all.map(({ identity }) => identity.uid),
    ['uid of b', 'other'],
  );
});
