import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Route } from '../../model/route.ts';
import { familySamples } from './cluster.fixture.ts';
import { findDefaultLinks, isDefault } from './default-links.ts';
import { link, route } from './node.fixture.ts';

const eth0 = link('eth0');
const eth1 = link('eth1', { index: 3 });

for (const { family, gateway, subnet } of familySamples) {
  const via = `default via ${gateway}`;

  const find = (...routes: readonly Route[]) => {
    const { chosen, passedOver } = findDefaultLinks(family, [eth0, eth1], routes);
    return [chosen.map(({ name }) => name).join(), passedOver.map(({ name }) => name).join()];
  };

  test(`${family}: the default route's link is the default link`, () => {
    assert.deepEqual(find(route(eth1, via), route(eth0, subnet)), ['eth1', '']);
  });

  test(`${family}: decision 5: of several default routes the lowest metric wins`, () => {
    const routes = [route(eth0, via, { metric: 200 }), route(eth1, via, { metric: 100 })];
    assert.deepEqual(find(...routes), ['eth1', 'eth0']);
  });

  test(`${family}: of equal metrics the first wins`, () => {
    assert.deepEqual(find(route(eth0, via), route(eth1, via)), ['eth0', 'eth1']);
  });

  test(`${family}: two default routes over one link pass over nothing`, () => {
    assert.deepEqual(find(route(eth0, via), route(eth0, via, { metric: 5 })), ['eth0', '']);
  });

  test(`${family}: spec 19 #33: a default route over several links gives them all`, () => {
    const nextHops = [eth1, eth0].map(({ index }) => ({ linkIndex: index, weight: 1 }));
    assert.deepEqual(find(route(eth0, via, { nextHops })), ['eth1,eth0', '']);
  });

  test(`${family}: without a default route there is no default link`, () => {
    assert.deepEqual(find(route(eth0, subnet)), ['', '']);
    assert.deepEqual(find(route(eth0, via, { table: 100 })), ['', '']);
    assert.deepEqual(find(route(eth0, via, { nextHops: [] })), ['', '']);
    assert.deepEqual(find(route(eth0, via, { type: 'unreachable' })), ['', '']);
  });
}

test('a default route has no destination, or one of length zero', () => {
  assert.equal(isDefault(route(eth0, '0.0.0.0/0')), true);
  assert.equal(isDefault(route(eth0, '::/0')), true);
  assert.equal(isDefault(route(eth0, '192.0.2.0/24')), false);
  assert.equal(isDefault(route(eth0, '2001:db8::/64')), false);
});

test('each family goes by its own routes', () => {
  const routes = [route(eth0, 'default via 192.0.2.254'), route(eth1, 'default via fe80::1')];
  const names = (['ipv4', 'ipv6'] as const).map(
    (family) => findDefaultLinks(family, [eth0, eth1], routes).chosen[0]?.name,
  );
  assert.deepEqual(names, ['eth0', 'eth1']);
});
