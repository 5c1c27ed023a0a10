import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { before, describe, test } from 'node:test';
import { enterFreshNamespace } from '../../lab/fresh-namespace.ts';
import { missing } from '../../lab/missing.ts';
import { type Family, ipOf } from '../model/ip.ts';
import type { Route } from '../model/route.ts';
import { NetlinkKernel } from './netlink-kernel.ts';
import { NetlinkRouteTable } from './route-table.ts';

const skip = missing('ip');
const protocol = 186;
const ip = (...args: readonly string[]) => execFileSync('ip', args, { encoding: 'utf8' });

const samples = {
  ipv4: { to: '203.0.113.0', length: 24, via: ['192.0.2.1', '192.0.2.2'] },
  ipv6: { to: '2001:db8:aa::', length: 64, via: ['2001:db8:1::1', '2001:db8:1::2'] },
} as const satisfies Record<Family, object>;

describe('routes in a real kernel', { skip }, () => {
  let linkIndex = 0;
  let kernel: NetlinkKernel;
  let table: NetlinkRouteTable;
  before(async () => {
    enterFreshNamespace();
    ip('link', 'add', 'eth0', 'type', 'veth', 'peer', 'name', 'far0');
    ip('link', 'set', 'far0', 'up');
    ip('link', 'set', 'eth0', 'up');
    ip('address', 'add', '192.0.2.11/24', 'dev', 'eth0');
    ip('address', 'add', '2001:db8:1::11/64', 'dev', 'eth0', 'nodad');
    kernel = new NetlinkKernel();
    table = new NetlinkRouteTable(kernel);
    linkIndex = (await kernel.links()).find(({ name }) => name === 'eth0')?.index ?? 0;
  });

  const routeOf = (family: Family, hops: number, more: Partial<Route> = {}): Route => {
    const { to, length, via } = samples[family];
    return {
      family,
      destination: { ip: ipOf(to), prefixLength: length },
      nextHops: via
        .slice(0, hops)
        .map((gateway) => ({ linkIndex, gateway: ipOf(gateway), weight: 1 })),
      metric: 20,
      table: 254,
      protocol,
      type: 'unicast',
      scope: 0,
      ...more,
    };
  };

  for (const family of ['ipv4', 'ipv6'] as const) {
    test(`${family} routes are added, replaced and removed by their mark`, async () => {
      const [one, two] = [routeOf(family, 1), routeOf(family, 2)];
      assert.deepEqual(await table.apply({ add: [one], remove: [] }), []);
      assert.deepEqual(await table.marked(protocol), [one]);
      assert.deepEqual(await table.apply({ add: [two], remove: [] }), []);
      assert.deepEqual(
        (await table.marked(protocol)).flatMap(({ nextHops }) =>
          nextHops.map((hop) => hop.gateway),
        ),
        [...samples[family].via],
      );
      const elsewhere = routeOf(family, 1, { table: 1000 });
      assert.deepEqual(await table.apply({ add: [elsewhere], remove: [two] }), []);
      assert.deepEqual(await table.marked(protocol), [elsewhere]);
      assert.deepEqual(await table.apply({ add: [], remove: [elsewhere, two] }), []);
      assert.deepEqual(await table.marked(protocol), []);
    });

    test(`${family}: one that the kernel refuses keeps no other from being added`, async () => {
      const nowhere = routeOf(family, 1, { nextHops: [{ linkIndex: 999, weight: 1 }] });
      const fine = routeOf(family, 1);
      const failures = await table.apply({ add: [nowhere, fine], remove: [] });
      assert.deepEqual(
        failures.map(({ route }) => route),
        [nowhere],
      );
      assert.deepEqual(await table.apply({ add: [], remove: await table.marked(protocol) }), []);
    });
  }

  test('routes of others are not ours', async () => {
    ip('route', 'add', '198.51.100.0/24', 'via', '192.0.2.1');
    assert.deepEqual(await table.marked(protocol), []);
    assert.match(ip('route', 'show', '198.51.100.0/24'), /192\.0\.2\.1/);
  });
});
