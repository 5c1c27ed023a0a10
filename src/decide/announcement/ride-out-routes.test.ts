import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Route } from '../../model/route.ts';
import { link, route } from './node.fixture.ts';
import { type DefaultRoutes, rideOutMs, rideOutRoutes } from './ride-out-routes.ts';

const eth0 = link('eth0');
const eth1 = link('eth1', { index: 3 });
const ways = {
  ipv4: {
    own: route(eth0, 'default via 192.0.2.254'),
    other: route(eth1, 'default via 192.0.2.1'),
  },
  ipv6: { own: route(eth0, 'default via fe80::1'), other: route(eth1, 'default via fe80::2') },
};

/** What counts at each of these times, given what was there. */
function counts(...seen: readonly (readonly [number, readonly Route[] | undefined])[]) {
  let memory: DefaultRoutes | undefined;
  return seen.map(([now, routes]) => {
    const links = [eth0, eth1];
    const result = rideOutRoutes({ links, addresses: [], routes }, memory, now);
    memory = result.memory;
    return { routes: result.view.routes, wakeAt: result.wakeAt };
  });
}

for (const [family, { own, other }] of Object.entries(ways)) {
  const subnet = route(eth0, family === 'ipv4' ? '192.0.2.0/24' : '2001:db8::/64');

  test(`${family}: a default route that is gone counts for a while longer, and then no more`, () => {
    const lost = counts([0, [own, subnet]], [9000, [subnet]], [9000 + rideOutMs, [subnet]]);
    assert.deepEqual(lost, [
      { routes: [own, subnet], wakeAt: Infinity },
      { routes: [subnet, own], wakeAt: 9000 + rideOutMs },
      { routes: [subnet], wakeAt: Infinity },
    ]);
  });

  test(`${family}: another one takes its place at once`, () => {
    const moved = counts([0, [own]], [100, []], [200, [other]], [300, []]);
    assert.deepEqual(
      moved.map(({ routes }) => routes),
      [[own], [own], [other], [other]],
    );
  });

  test(`${family}: one that was never there does not count, nor one that could not be read`, () => {
    const read = counts([0, []], [100, undefined], [200, [subnet]]);
    assert.deepEqual(
      read.map(({ routes }) => routes),
      [[], undefined, [subnet]],
    );
    assert.equal(read[1]?.wakeAt, Infinity);
  });
}

test('each family loses and keeps its own', () => {
  const { ipv4, ipv6 } = ways;
  const [, after] = counts([0, [ipv4.own, ipv6.own]], [100, [ipv6.own]]);
  assert.deepEqual(after?.routes, [ipv6.own, ipv4.own]);
});
