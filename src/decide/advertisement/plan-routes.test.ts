import assert from 'node:assert/strict';
import { test } from 'node:test';
import { plainRoute } from '../../model/bgp-path.ts';
import { ipOf } from '../../model/ip.ts';
import { hostPrefixOf, prefixOf } from '../../model/prefix.ts';
import { rangeOfPrefix } from '../../model/range.ts';
import { route } from '../announcement/node.fixture.ts';
import { eth0 } from '../announcement/snapshot.fixture.ts';
import { bgpConfig } from './advertisement.fixture.ts';
import { diffRoutes, mostRoutes, planRoutes, type RouteFacts, routeKey } from './plan-routes.ts';

const learnt = (text: string, nextHop: string, more: object = {}) => ({
  prefix: prefixOf(text),
  nextHop: ipOf(nextHop),
  ...plainRoute,
  from: nextHop,
  isBest: true,
  isStale: false,
  asPathLength: 1,
  isInternal: false,
  ...more,
});
const exporting = (rules: readonly object[], global: object = {}) => {
  const config = bgpConfig({
    global: { asn: 64_500, ...global },
    netlinkExport: { enabled: true, rules },
  });
  return { export: config.netlinkExport, global: config.global };
};
const facts: RouteFacts = {
  ...exporting([{ name: 'all' }]),
  learnt: [],
  own: [],
  protectedPrefixes: [],
  foreign: [],
  connected: [
    { prefix: prefixOf('192.0.2.11/24'), linkIndex: 2 },
    { prefix: prefixOf('2001:db8:1::11/64'), linkIndex: 2 },
  ],
};
const plan = (more: Partial<RouteFacts>) => planRoutes({ ...facts, ...more });
const texts = (more: Partial<RouteFacts>) =>
  plan(more).map(({ prefix, reason, route: found }) => {
    const hops = found?.nextHops.map(({ gateway }) => gateway) ?? [];
    return `${prefix.ip}/${prefix.length} ${reason}${hops.length > 0 ? ` ${hops}` : ''}`;
  });

test('a learnt route is a route of the kernel, with the rule’s table and metric and our mark', () => {
  const rules = [{ name: 'all', tableId: 1000, metric: 30 }];
  const [found] = plan({ ...exporting(rules), learnt: [learnt('203.0.113.0/24', '192.0.2.1')] });
  assert.deepEqual(found?.route, {
    family: 'ipv4',
    destination: { ip: '203.0.113.0', prefixLength: 24 },
    nextHops: [{ linkIndex: 2, gateway: '192.0.2.1', weight: 1 }],
    metric: 30,
    table: 1000,
    protocol: 186,
    type: 'unicast',
    scope: 0,
  });
});

test('without rules, or switched off, nothing goes to the kernel', () => {
  const some = [learnt('203.0.113.0/24', '192.0.2.1')];
  assert.deepEqual(plan({ ...exporting([]), learnt: some }), []);
  const off = bgpConfig({ netlinkExport: { enabled: false, rules: [{ name: 'all' }] } });
  assert.deepEqual(plan({ export: off.netlinkExport, learnt: some }), []);
});

test('a rule with communities is for routes that carry one of them', () => {
  const rules = [{ name: 'marked', communityList: ['64501:1'], largeCommunityList: ['64501:0:1'] }];
  const paths = [
    learnt('203.0.113.0/26', '192.0.2.1'),
    learnt('203.0.113.64/26', '192.0.2.1', { communities: ['64501:1'] }),
    learnt('203.0.113.128/26', '192.0.2.1', { largeCommunities: ['64501:0:1'] }),
  ];
  assert.deepEqual(texts({ ...exporting(rules), learnt: paths }), [
    '203.0.113.64/26 installed 192.0.2.1',
    '203.0.113.128/26 installed 192.0.2.1',
  ]);
});

test('the best path counts; with multiple paths those as good as it, as many as allowed', () => {
  const paths = [
    learnt('203.0.113.0/24', '192.0.2.2', { isBest: false }),
    learnt('203.0.113.0/24', '192.0.2.1'),
    learnt('203.0.113.0/24', '192.0.2.3', { isBest: false, asPathLength: 2 }),
    learnt('203.0.113.0/24', '192.0.2.4', { isBest: false }),
  ];
  assert.deepEqual(texts({ learnt: paths }), ['203.0.113.0/24 installed 192.0.2.1']);
  const wide = exporting([{ name: 'all' }], { useMultiplePaths: true, ebgpMaximumPaths: 2 });
  assert.deepEqual(texts({ ...wide, learnt: paths }), [
    '203.0.113.0/24 installed 192.0.2.1,192.0.2.2',
  ]);
});

test('what a hostile router sends does not reach our own or the cluster’s networks', () => {
  const own = [prefixOf('203.0.113.7/32')];
  const apiServer = { range: rangeOfPrefix(hostPrefixOf(ipOf('198.51.100.6'))), what: 'the API' };
  const paths = [
    learnt('0.0.0.0/0', '192.0.2.1'),
    learnt('203.0.113.0/24', '192.0.2.1'),
    learnt('203.0.113.7/32', '192.0.2.1'),
    learnt('198.51.100.6/32', '192.0.2.1'),
    learnt('198.51.100.0/24', '192.0.2.1'),
    learnt('198.18.0.0/15', '198.18.0.1'),
  ];
  assert.deepEqual(texts({ learnt: paths, own, protectedPrefixes: [apiServer] }), [
    '0.0.0.0/0 defaultRouteNeedsCommunity',
    '203.0.113.0/24 ownPrefix',
    '203.0.113.7/32 ownPrefix',
    '198.51.100.6/32 clusterNetwork',
    '198.51.100.0/24 clusterNetwork',
    '198.18.0.0/15 nextHopUnreachable',
  ]);
});

test('a default route is taken where a community asks for it', () => {
  const rules = [{ name: 'marked', communityList: ['64501:1'] }];
  const paths = [learnt('::/0', '2001:db8:1::1', { communities: ['64501:1'] })];
  const [found] = plan({ ...exporting(rules), learnt: paths });
  assert.equal(found?.reason, 'installed');
  assert.equal(found?.route?.destination, undefined);
});

test('a route of somebody else in the same place stays', () => {
  const foreign = [route(eth0, '203.0.113.0/24 via 192.0.2.9', { metric: 20, table: 254 })];
  assert.deepEqual(texts({ foreign, learnt: [learnt('203.0.113.0/24', '192.0.2.1')] }), [
    '203.0.113.0/24 foreignRoute',
  ]);
});

test('more routes than a node can have use for are left out', () => {
  const paths = Array.from({ length: mostRoutes + 1 }, (_, index) =>
    learnt(`198.18.${index >> 8}.${index & 255}/32`, '192.0.2.1'),
  );
  const reasons = plan({ learnt: paths }).map(({ reason }) => reason);
  assert.deepEqual(reasons.slice(-2), ['installed', 'tooMany']);
});

test('the kernel is changed only where it differs', () => {
  const one = route(eth0, '203.0.113.0/24 via 192.0.2.1');
  const other = route(eth0, '203.0.113.0/24 via 192.0.2.2');
  const gone = route(eth0, '198.51.100.0/24 via 192.0.2.1');
  assert.deepEqual(diffRoutes([one], [one]), { add: [], remove: [] });
  assert.deepEqual(diffRoutes([other], [one, gone]), { add: [other], remove: [gone] });
  assert.equal(routeKey(one), routeKey(other));
});
