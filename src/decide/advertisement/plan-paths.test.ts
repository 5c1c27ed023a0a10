import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { pathKey } from '../../model/bgp-path.ts';
import { ipOf } from '../../model/ip.ts';
import { hostPrefixOf, prefixOf } from '../../model/prefix.ts';
import { rangeOfPrefix } from '../../model/range.ts';
import { held, ours } from '../announcement/node.fixture.ts';
import { eth0, kubeLb0 } from '../announcement/snapshot.fixture.ts';
import { bgpConfig } from './advertisement.fixture.ts';
import { isHostRoute, type PathFacts, planPaths } from './plan-paths.ts';

const facts: PathFacts = {
  import: bgpConfig().netlinkImport,
  addresses: [],
  virtualLink: 'kube-lb0',
  served: new Set(),
  memberSubnets: [],
  protectedPrefixes: [],
  ipv6NextHop: ipOf('::'),
};
const on = (...prefixes: readonly string[]) => prefixes.map((each) => ours(kubeLb0, each));
const plan = (more: Partial<PathFacts>) => {
  const { paths, imported } = planPaths({ ...facts, ...more });
  return {
    paths: paths.map(pathKey),
    reasons: imported.map(({ address, reason }) => `${address} ${reason}`),
  };
};

test('an address on an imported link is a route, of both families', () => {
  const addresses = on('203.0.113.7/32', '2001:db8:aa::7/128');
  assert.deepEqual(plan({ addresses }), {
    paths: ['203.0.113.7/32 0.0.0.0', '2001:db8:aa::7/128 ::'],
    reasons: ['203.0.113.7/32 advertised', '2001:db8:aa::7/128 advertised'],
  });
});

test('an address that former software left on the virtual link is advertised only if a Service has it', () => {
  const addresses = [held(kubeLb0, '203.0.113.9/32'), held(eth0, '203.0.113.10/32')];
  assert.deepEqual(plan({ addresses }), { paths: [], reasons: ['203.0.113.9/32 noService'] });
  const served = new Set([ipOf('203.0.113.9')]);
  assert.deepEqual(plan({ addresses, served }).paths, ['203.0.113.9/32 0.0.0.0']);
});

test('what people put on another imported link is advertised, Service or not', () => {
  const addresses = [held(kubeLb0, '203.0.113.9/32')];
  assert.deepEqual(plan({ addresses, virtualLink: 'lb1' }).paths, ['203.0.113.9/32 0.0.0.0']);
});

test('nothing is advertised unless the import is switched on', () => {
  const off = { ...facts.import, isEnabled: false };
  assert.deepEqual(plan({ import: off, addresses: on('203.0.113.7/32') }).paths, []);
});

test('addresses of one prefix are one route, which stays until the last of them goes', () => {
  const [first = '', second = ''] = ['203.0.113.7/24', '203.0.113.9/24'];
  for (const left of [[first, second], [first], [second]]) {
    assert.deepEqual(plan({ addresses: on(...left) }).paths, ['203.0.113.0/24 0.0.0.0']);
  }
  assert.deepEqual(plan({ addresses: [] }).paths, []);
});

test('a prefix that holds the cluster’s own network is advertised as single addresses', () => {
  const gateway = { range: rangeOfPrefix(hostPrefixOf(ipOf('203.0.113.1'))), what: 'the gateway' };
  assert.deepEqual(plan({ addresses: on('203.0.113.7/24'), protectedPrefixes: [gateway] }), {
    paths: ['203.0.113.7/32 0.0.0.0'],
    reasons: ['203.0.113.7/24 aggregationUnsafe'],
  });
});

test('an address in the network of some member is not imported unless told to', () => {
  const memberSubnets = [prefixOf('192.0.2.1/24')];
  assert.deepEqual(plan({ addresses: on('192.0.2.100/32', '203.0.113.7/32'), memberSubnets }), {
    paths: ['203.0.113.7/32 0.0.0.0'],
    reasons: ['192.0.2.100/32 localToMember', '203.0.113.7/32 advertised'],
  });
  const told = { ...facts.import, takesLocal: true };
  assert.deepEqual(plan({ import: told, addresses: on('192.0.2.100/32'), memberSubnets }), {
    paths: ['192.0.2.100/32 0.0.0.0'],
    reasons: ['192.0.2.100/32 advertised'],
  });
});

test('link-local addresses, and those that are not ready, are not advertised', () => {
  const addresses = [
    held(kubeLb0, 'fe80::1/64'),
    ours(kubeLb0, '2001:db8:aa::1/128', { isTentative: true }),
    ours(kubeLb0, '2001:db8:aa::2/128', { hasFailedDad: true }),
    held(kubeLb0, '127.0.0.5/8', { scope: 'host' }),
  ];
  assert.deepEqual(plan({ addresses }), {
    paths: [],
    reasons: [
      'fe80::1/64 notRoutable',
      '2001:db8:aa::1/128 notReady',
      '2001:db8:aa::2/128 notReady',
      '127.0.0.5/8 notRoutable',
    ],
  });
});

test('IPv6 has the next hop that sessions can carry, or is not advertised', () => {
  const addresses = on('2001:db8:aa::7/128');
  const named = plan({ addresses, ipv6NextHop: ipOf('2001:db8:1::11') });
  assert.deepEqual(named.paths, ['2001:db8:aa::7/128 2001:db8:1::11']);
  const none = plan({ addresses, ipv6NextHop: undefined });
  assert.deepEqual(none, { paths: [], reasons: ['2001:db8:aa::7/128 noNextHop'] });
});

test('the order of addresses, and how often each is there, makes no difference', () => {
  const pool = on('203.0.113.7/24', '203.0.113.9/24', '203.0.113.9/32', '2001:db8:aa::7/64');
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...pool), { maxLength: 12 }), (addresses) => {
      const sorted = (list: typeof pool) => [...plan({ addresses: list }).paths].sort();
      assert.deepEqual(sorted(addresses), sorted([...new Set(addresses)].reverse()));
    }),
  );
});

test('host routes are told from wider ones', () => {
  const texts = ['203.0.113.7/32', '203.0.113.0/24', '2001:db8::1/128', '2001:db8::/64'];
  assert.deepEqual(texts.map(prefixOf).map(isHostRoute), [true, false, true, false]);
});
