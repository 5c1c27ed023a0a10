import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bgpConfig } from '../decide/advertisement/advertisement.fixture.ts';
import type { RouteFacts } from '../decide/advertisement/plan-routes.ts';
import { routeKey } from '../decide/advertisement/plan-routes.ts';
import { link, route } from '../decide/announcement/node.fixture.ts';
import type { RouteChanges } from '../linux/route-table.ts';
import { plainRoute } from '../model/bgp-path.ts';
import { ipOf } from '../model/ip.ts';
import { prefixOf } from '../model/prefix.ts';
import type { Route } from '../model/route.ts';
import { Log } from '../runtime/log.ts';
import { RouteKeeper } from './route-keeper.ts';

const eth0 = link('eth0');
const protocol = 186;

function world(before: readonly Route[] = []) {
  let kernel = [...before];
  const refused = new Set<string>();
  const table = {
    marked: async () => kernel.filter((each) => each.protocol === protocol),
    apply: async ({ add, remove }: RouteChanges) => {
      const gone = new Set([...add, ...remove].map(routeKey));
      const taken = add.filter((each) => !refused.has(each.destination?.ip ?? ''));
      kernel = [...kernel.filter((each) => !gone.has(routeKey(each))), ...taken];
      return add
        .filter((each) => !taken.includes(each))
        .map((each) => ({ route: each, words: 'no' }));
    },
    close: () => {},
  };
  const log = Log.create({ level: 'error' });
  const keeper = new RouteKeeper({ routes: table, kernel: { routes: async () => kernel }, log });
  const shown = () =>
    kernel.map(({ destination, table: number }) => `${destination?.ip} ${number}`);
  return { keeper, refused, shown };
}

function facts(prefixes: readonly string[], tableId = 0): Omit<RouteFacts, 'foreign'> {
  const netlinkExport = { enabled: true, rules: [{ name: 'all', tableId }] };
  const config = bgpConfig({ netlinkExport });
  return {
    export: config.netlinkExport,
    global: config.global,
    learnt: prefixes.map((text) => ({
      prefix: prefixOf(text),
      nextHop: ipOf('192.0.2.1'),
      ...plainRoute,
      from: '192.0.2.1',
      isBest: true,
      isStale: false,
      asPathLength: 1,
      isInternal: false,
    })),
    own: [],
    protectedPrefixes: [],
    connected: [{ prefix: prefixOf('192.0.2.11/24'), linkIndex: 2 }],
  };
}

test('routes come and go with what is learnt, those of others stay', async () => {
  const { keeper, shown } = world([route(eth0, '198.51.100.0/24 via 192.0.2.9')]);
  await keeper.keep(facts(['203.0.113.0/25', '203.0.113.128/25']), true);
  assert.deepEqual(shown(), ['198.51.100.0 254', '203.0.113.0 254', '203.0.113.128 254']);
  await keeper.keep(facts(['203.0.113.128/25']), true);
  assert.deepEqual(shown(), ['198.51.100.0 254', '203.0.113.128 254']);
  await keeper.clear();
  assert.deepEqual(shown(), ['198.51.100.0 254']);
});

test('what a predecessor left is taken over, or removed if nobody wants it', async () => {
  const left = route(eth0, '203.0.113.0/25 via 192.0.2.1', { protocol, metric: 20 });
  const { keeper, shown } = world([left]);
  await keeper.keep(facts(['203.0.113.128/25']), true);
  assert.deepEqual(shown(), ['203.0.113.128 254']);
});

test('while sessions come up nothing is removed', async () => {
  const { keeper, shown } = world();
  await keeper.keep(facts(['203.0.113.0/25']), true);
  await keeper.keep(facts([]), false);
  assert.deepEqual(shown(), ['203.0.113.0 254']);
  await keeper.keep(facts([]), true);
  assert.deepEqual(shown(), []);
});

test('routes move with the table of their rule', async () => {
  const { keeper, shown } = world();
  await keeper.keep(facts(['203.0.113.0/25']), true);
  await keeper.keep(facts(['203.0.113.0/25'], 1000), true);
  assert.deepEqual(shown(), ['203.0.113.0 1000']);
});

test('with the export switched off, marked routes of others are none of ours', async () => {
  const { keeper, shown } = world([route(eth0, '203.0.113.0/25 via 192.0.2.1', { protocol })]);
  await keeper.clear();
  assert.deepEqual(shown(), ['203.0.113.0 254']);
});

test('what the kernel refuses is told', async () => {
  const { keeper, refused } = world();
  refused.add('203.0.113.0');
  const [first] = await keeper.keep(facts(['203.0.113.0/25']), true);
  assert.deepEqual([first?.route, first?.reason], [undefined, 'refusedByKernel']);
});
