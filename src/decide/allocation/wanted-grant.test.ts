import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ipOf } from '../../model/ip.ts';
import { Places } from './place.ts';
import { isGranted, noGrant, wantedGrant } from './wanted-grant.ts';
import { World } from './world.fixture.ts';

const world = new World()
  .group('lan', {
    local: { v4pools: [{ pool: '192.0.2.0/28', subnet: '192.0.2.0/24' }], skipIPv6DAD: true },
  })
  .group('far', { remote: { v6pools: [{ pool: '2001:db8::/64', subnet: '2001:db8::/64' }] } });

function grantOf(annotations: Readonly<Record<string, string>>, ...ips: readonly string[]) {
  const [service] = new World().service('a/1', { annotations }).state().services;
  assert.ok(service !== undefined);
  const places = new Places(world.state().pools);
  const addresses = ips.map((ip) => places.findHeld(ipOf(ip), service));
  return wantedGrant(service, { addresses, isReEvaluated: true });
}

test('what is written follows from the addresses, the first of a known pool first', () => {
  const { ingress: _, ...grant } = grantOf({ 're-evaluate': 'true' }, '2001:db8::1', '192.0.2.1');
  assert.deepEqual(grant, {
    isOurs: true,
    pools: ['far', 'lan'],
    poolType: 'remote',
    prefixes: [
      { ip: '2001:db8::1', length: 64 },
      { ip: '192.0.2.1', length: 24 },
    ],
    skipsDad: false,
    hasFinalizer: true,
    wantsReEvaluation: false,
    isCleared: false,
  });
});

test('what is known of an address whose pool is gone stays written, but for a prefix that nobody recorded', () => {
  const annotations = {
    'allocated-by': 'PureLB',
    'allocated-from': 'gone',
    'allocated-prefixes': '203.0.113.1/26',
    'pool-type': 'remote',
    'skip-ipv6-dad': 'true',
  };
  const { pools, poolType, prefixes, skipsDad } = grantOf(annotations, '203.0.113.1');
  assert.deepEqual(
    { pools, poolType, prefixes, skipsDad },
    {
      pools: ['gone'],
      poolType: 'remote',
      prefixes: [],
      skipsDad: true,
    },
  );
  assert.deepEqual(grantOf(annotations, '203.0.113.1', '192.0.2.1').pools, ['gone', 'lan']);
});

test('whether a Service is as it should be is seen in every part', () => {
  const settled = new World().group('default', ['192.0.2.0/28']).service('a/1').settle();
  const [service] = settled.state().services;
  assert.ok(service !== undefined);
  const addresses = [new Places(settled.state().pools).find(ipOf('192.0.2.0'))];
  const grant = wantedGrant(service, { addresses, isReEvaluated: false });
  assert.ok(isGranted(service, grant));
  const differences = [
    { isOurs: false },
    { ingress: [] },
    { pools: ['x'] },
    { poolType: 'auto' as const },
    { prefixes: [] },
    { prefixes: [{ ip: ipOf('192.0.2.0'), length: 32 }] },
    { skipsDad: true },
    { hasFinalizer: false },
    { wantsReEvaluation: true },
  ];
  for (const difference of differences) {
    assert.equal(
      isGranted(service, { ...grant, ...difference }),
      false,
      JSON.stringify(difference),
    );
  }
  assert.equal(isGranted(service, noGrant([], false)), false);
});
