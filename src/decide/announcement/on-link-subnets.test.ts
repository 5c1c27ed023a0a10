import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { HeldAddress } from '../../model/address.ts';
import { formatPrefix } from '../../model/prefix.ts';
import type { Route } from '../../model/route.ts';
import { familySamples } from './cluster.fixture.ts';
import { held, link, ours, route } from './node.fixture.ts';
import { onLinkSubnets } from './on-link-subnets.ts';

const eth0 = link('eth0');
const eth1 = link('eth1', { index: 3 });
const lo = link('lo', { index: 1, isLoopback: true });

function subnets(addresses: readonly HeldAddress[], routes: readonly Route[] = [], on = eth0) {
  return (['ipv4', 'ipv6'] as const).flatMap((family) =>
    onLinkSubnets(on, family, addresses, routes).map(formatPrefix),
  );
}

for (const { family, subnet, nodeIp, length, hostLength, vip, elsewhere, farIp } of familySamples) {
  const own = `${nodeIp}/${length}`;
  const host = `${nodeIp}/${hostLength}`;

  test(`${family}: a link is in the network of the node's own address`, () => {
    assert.deepEqual(subnets([held(eth0, own), held(eth1, `${farIp}/${length}`)]), [subnet]);
  });

  test(`${family}: two addresses of one network are one network`, () => {
    assert.deepEqual(subnets([held(eth0, own), held(eth0, `${vip}/${length}`)]), [subnet]);
  });

  test(`${family}: spec 19 #31: our own addresses make no network`, () => {
    assert.deepEqual(subnets([ours(eth0, `${vip}/${length}`)]), []);
  });

  test(`${family}: a single address takes its network from a route on the link`, () => {
    assert.deepEqual(subnets([held(eth0, host)], [route(eth0, subnet)]), [subnet]);
  });

  test(`${family}: of several such routes the narrowest counts`, () => {
    const narrow = family === 'ipv4' ? '192.0.2.0/25' : '2001:db8::/96';
    const routes = [route(eth0, subnet), route(eth0, narrow)];
    assert.deepEqual(subnets([held(eth0, host)], routes), [narrow]);
  });

  test(`${family}: routes elsewhere, through a router, or made by our addresses do not count`, () => {
    const routes = [
      route(eth1, subnet),
      route(eth0, elsewhere),
      route(eth0, `${subnet} via ${nodeIp}`),
      route(eth0, subnet, { table: 100 }),
      route(eth0, subnet, { type: 'blackhole' }),
      route(eth0, subnet, { metric: 7472, protocol: 2 }),
      route(eth0, family === 'ipv4' ? 'default' : 'default6'),
      route(eth0, family === 'ipv4' ? '0.0.0.0/0' : '::/0'),
    ];
    assert.deepEqual(subnets([held(eth0, host)], routes), [host]);
  });
}

test('T5: the /64 of a router advertisement is found for a /128', () => {
  const routes = [
    route(eth0, '2001:db8::/64', { protocol: 9, metric: 1024 }),
    route(eth0, 'fe80::/64', { protocol: 2, metric: 256 }),
  ];
  assert.deepEqual(subnets([held(eth0, '2001:db8::aa/128')], routes), ['2001:db8::/64']);
});

test('spec 5.2: IPv6 addresses that are tentative, deprecated or duplicates make no network', () => {
  for (const flag of ['isTentative', 'isDeprecated', 'hasFailedDad'] as const) {
    assert.deepEqual(subnets([held(eth0, '2001:db8::1/64', { [flag]: true })]), [], flag);
  }
  assert.deepEqual(subnets([held(eth0, '192.0.2.1/24', { isDeprecated: true })]), ['192.0.2.0/24']);
});

test('link-local addresses make no network', () => {
  assert.deepEqual(subnets([held(eth0, 'fe80::1/64'), held(eth0, '169.254.1.1/16')]), []);
});

test('addresses of the loopback link count for the loopback link', () => {
  const addresses = [
    held(lo, '127.0.0.1/8', { scope: 'host' }),
    held(lo, '::1/128', { scope: 'host' }),
  ];
  assert.deepEqual(subnets(addresses, [], lo), ['127.0.0.0/8', '::1/128']);
});

test('networks that overlap are given the narrowest first', () => {
  const addresses = [held(eth0, '192.0.0.1/16'), held(eth0, '192.0.2.1/24')];
  assert.deepEqual(subnets(addresses), ['192.0.2.0/24', '192.0.0.0/16']);
});

test('a network that is known from a route is marked, unless the node has an address of its length too', () => {
  const routes = [route(eth0, '192.0.2.0/24')];
  const single = held(eth0, '192.0.2.1/32');
  const marks = (...addresses: readonly HeldAddress[]) =>
    onLinkSubnets(eth0, 'ipv4', addresses, routes).map(({ isFromRoute }) => isFromRoute);
  assert.deepEqual(marks(single), [true]);
  assert.deepEqual(marks(single, held(eth0, '192.0.2.2/24')), [undefined]);
  assert.deepEqual(marks(held(eth0, '192.0.2.2/24'), single), [undefined]);
});
