import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Store } from '../kube/store.ts';
import { ipOf } from '../model/ip.ts';
import { type KnownService, knowService } from './known-objects.ts';
import { PassScope } from './pass-scope.ts';
import { ServiceIndex } from './service-index.ts';

const [a, b, c, free] = ['192.0.2.1', '192.0.2.2', '192.0.2.3', '192.0.2.99'].map(ipOf) as [
  ReturnType<typeof ipOf>,
  ReturnType<typeof ipOf>,
  ReturnType<typeof ipOf>,
  ReturnType<typeof ipOf>,
];

function world() {
  const store = new Store<KnownService>({ project: knowService });
  const index = new ServiceIndex(store);
  const scope = new PassScope(index);
  store.subscribe((key, before, after) => scope.noteService(key, before, after));
  let version = 0;
  const put = (name: string, ...ips: readonly string[]) => {
    version += 1;
    store.put({
      metadata: {
        namespace: 'shop',
        name,
        uid: name,
        resourceVersion: String(version),
        annotations: { 'purelb.io/allocated-by': 'PureLB' },
      },
      spec: { type: 'LoadBalancer', clusterIP: '203.0.113.1' },
      status: { loadBalancer: { ingress: ips.map((ip) => ({ ip })) } },
    } as never);
  };
  const take = (due: readonly ReturnType<typeof ipOf>[] = []) => {
    const taken = scope.take({ ips: due, services: [] });
    if (taken === undefined) return 'everything';
    return `${[...taken.services].sort().join(' ')}: ${[...taken.ips].sort().join(' ')}`;
  };
  return { store, index, scope, put, take };
}

test('the first pass is over everything, the next one over nothing', () => {
  const { take } = world();
  assert.equal(take(), 'everything');
  assert.equal(take(), ': ');
});

test('a Service that changes is decided about with the addresses that it had and has', () => {
  const { put, take } = world();
  put('web', a);
  take();
  put('web', b);
  assert.equal(take(), `shop/web: ${a} ${b}`);
});

test('Services that share an address are decided about together, over any number of steps', () => {
  const { put, take } = world();
  put('web', a, b);
  put('mail', b, c);
  put('dns', c);
  put('other', free);
  take();
  put('dns', c);
  assert.equal(take(), `shop/dns shop/mail shop/web: ${a} ${b} ${c}`);
});

test('a Service that shared an address is decided about when the other one leaves it', () => {
  const { put, take } = world();
  put('web', a);
  put('mail', a);
  take();
  put('mail');
  assert.equal(take(), `shop/mail shop/web: ${a}`);
});

test('a due address brings its Service along; one that no Service has is due alone', () => {
  const { put, take } = world();
  put('web', a);
  take();
  assert.equal(take([a]), `shop/web: ${a}`);
  assert.equal(take([free]), `: ${free}`);
});

test('news of an address that no Service has call for a pass over everything', () => {
  const { put, scope, take } = world();
  put('web', a);
  take();
  scope.noteAddress(a);
  assert.equal(scope.isEmpty, false);
  assert.equal(take(), `shop/web: ${a}`);
  scope.noteAddress(free);
  assert.equal(take(), 'everything');
  assert.equal(scope.isEmpty, true);
});

test('an address is known until the last Service leaves it', () => {
  const { put, index } = world();
  put('web', a);
  put('mail', a);
  put('web');
  assert.equal(index.has(a), true);
  put('mail', b);
  assert.equal(index.has(a), false);
  assert.deepEqual([...index.ips], [b]);
});
