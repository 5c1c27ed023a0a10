/** What upstream's tests assert of its allocator and controller (specification 16.3 and 16.4), on ours. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ranges } from './raw-objects.fixture.ts';
import { World } from './world.fixture.ts';

const dual = ['IPv4', 'IPv6'] as const;
const reEvaluate = { annotations: { 're-evaluate': 'true' } };

/** The pools of upstream's scripts: four addresses of each family. */
function pools(): World {
  return new World()
    .group('one', ['192.0.2.0/30', '2001:db8:1::/126'])
    .group('two', ['198.51.100.0/30', '2001:db8:2::/126']);
}

test('16.37: a pool gives four addresses and no more, a released one again, a shared one twice', () => {
  const world = pools();
  const from = (name: string, key?: string) => {
    const sharing = key === undefined ? {} : { 'allow-shared-ip': key };
    const annotations = { 'service-group': 'two', ...sharing };
    return world.service(`a/${name}`, { ports: [`TCP/${name}`], annotations });
  };
  for (const name of '1234') from(name, name === '4' ? 'k' : undefined).settle();
  from('5').settle();
  assert.equal(
    world.look()[4],
    'a/5: Exhausted, pool "two" exhausted: no available addresses for a/5',
  );
  world.delete('a/2').settle();
  assert.deepEqual(world.addresses('a/5'), ['198.51.100.1']);
  from('6', 'k').settle();
  assert.deepEqual(world.addresses('a/6'), ['198.51.100.3']);
});

test('16.38: no group called default and no annotation is a failure until one is made', () => {
  const world = new World()
    .group('one', ['192.0.2.0/30'])
    .service('a/1')
    .service('a/2', { annotations: { 'service-group': 'one' } })
    .settle();
  assert.deepEqual(world.look(), [
    'a/1: UnknownPool, unknown pool "default": no ServiceGroup has that name',
    'a/2: 192.0.2.0',
  ]);
  world.group('default', ['198.51.100.0/30']).settle();
  assert.deepEqual(world.addresses('a/1'), ['198.51.100.0']);
});

test('16.41: Services without ports share without further ado', () => {
  const share = (key: string) => ({ ports: [], annotations: { 'allow-shared-ip': key } });
  const world = new World()
    .group('default', ['192.0.2.0/30'])
    .service('a/1', share('k'))
    .service('a/2', share('k'))
    .service('a/3', share('other'))
    .settle();
  assert.deepEqual(world.look(), ['a/1: 192.0.2.0', 'a/2: 192.0.2.0', 'a/3: 192.0.2.1']);
});

test('16.44, 16.45: multi-pool by annotation beats the setting of the group', () => {
  const text = ranges('192.0.2.0/30', '198.51.100.0/30');
  const ask = (group: string, multi?: string) => ({
    annotations: { 'service-group': group, ...(multi && { 'multi-pool': multi }) },
  });
  const world = new World()
    .group('spread', { remote: { ...text, multiPool: true } })
    .group('plain', { remote: ranges('203.0.113.0/30', '203.0.113.8/30') })
    .service('a/1', ask('spread'))
    .service('a/2', ask('spread', 'false'))
    .service('a/3', ask('plain'))
    .service('a/4', ask('plain', 'true'))
    .service('a/5', {
      annotations: { 'service-group': 'spread', 'allow-shared-ip': 'k' },
    })
    .settle();
  assert.deepEqual(world.look(), [
    'a/1: 192.0.2.0, 198.51.100.0',
    'a/2: 192.0.2.1',
    'a/3: 203.0.113.0',
    'a/4: 203.0.113.1, 203.0.113.8',
    'a/5: MultiPoolRefused, multi-pool allocation cannot be combined with IP sharing (annotation purelb.io/allow-shared-ip)',
  ]);
});

test('16.46: multi-pool and balancePools are mutually exclusive', () => {
  const balanced = { remote: { ...ranges('192.0.2.0/30', '192.0.2.8/30'), balancePools: true } };
  const world = new World()
    .group('default', balanced)
    .service('a/1', { annotations: { 'multi-pool': 'true' } })
    .settle();
  assert.match(world.look()[0] ?? '', /mutually exclusive for pool default/);
});

test('16.47: skip-ipv6-dad is set where the group says so, and nowhere else', () => {
  const world = new World()
    .group('default', { local: { ...ranges('192.0.2.0/30'), skipIPv6DAD: true } })
    .group('usual', ['198.51.100.0/30'])
    .service('a/1')
    .service('a/2', { annotations: { 'service-group': 'usual', 'skip-ipv6-dad': 'true' } })
    .settle();
  const set = ['a/1', 'a/2'].map((key) => world.annotation(key, 'skip-ipv6-dad'));
  assert.deepEqual(set, ['true', undefined]);
});

test('16.48, 17.25: multi-pool gains an address when a subnet gets nodes, and otherwise nothing', () => {
  const local = { ...ranges('192.0.2.0/30', '198.51.100.0/30'), multiPool: true };
  const world = new World().group('default', { local }).service('a/1');
  world.subnets = ['192.0.2.0/24'];
  assert.deepEqual(world.settle().look(), ['a/1: 192.0.2.0']);
  world.subnets = ['192.0.2.0/24', '198.51.100.0/24'];
  world.takeEvents();
  assert.deepEqual(world.settle().look(), ['a/1: 192.0.2.0, 198.51.100.0']);
  assert.deepEqual(world.takeEvents(), [
    'a/1 AddressAssigned: Incremental multi-pool: added 1 IPs (total 2) from pool default: 198.51.100.0',
  ]);
  assert.equal(world.decision('a/1').kind, 'keep');
});

test('16.57: a forged allocated-from draws from no other pool, and is put right', () => {
  const local = { ...ranges('192.0.2.0/30', '192.0.2.8/30'), multiPool: true };
  const world = new World()
    .group('default', { local })
    .group('victim', ['198.51.100.0/30', '2001:db8::/126'])
    .service('a/1');
  world.subnets = ['192.0.2.0/29'];
  world.settle();
  world.edit('a/1', { annotations: { 'allocated-from': 'victim' } });
  world.subnets = ['192.0.2.0/24'];
  assert.deepEqual(world.settle().look(), ['a/1: 192.0.2.0, 192.0.2.8']);
  assert.equal(world.annotation('a/1', 'allocated-from'), 'default');
  assert.equal(world.groupStatus('victim').allocatedIPv4, 0);
});

test('16.58: half of what dual-stack requires is nothing, but what was there stays', () => {
  const world = new World()
    .group('default', ['192.0.2.0/30'])
    .service('a/1', { families: dual })
    .service('a/2')
    .settle();
  assert.deepEqual(world.look(), [
    'a/1: Exhausted, pool "default" has no IPv6 addresses',
    'a/2: 192.0.2.0',
  ]);
  const spec = { ipFamilies: dual, ipFamilyPolicy: 'RequireDualStack' };
  world.edit('a/2', { spec }).settle();
  assert.deepEqual(world.addresses('a/2'), ['192.0.2.0']);
  assert.match(world.condition('a/2') ?? '', /^False Exhausted: 192.0.2.0 from pool default; pool/);
});

test('16.63: the first Service gets the lowest address, ipMode VIP and our annotations', () => {
  const world = new World().group('default', ['192.0.2.0/24']).service('a/1').settle();
  const { metadata, status } = world.services.get('a/1') ?? { metadata: { name: '' } };
  assert.deepEqual(metadata.annotations, {
    'purelb.io/allocated-by': 'PureLB',
    'purelb.io/allocated-from': 'default',
    'purelb.io/allocated-prefixes': '192.0.2.0/24',
    'purelb.io/pool-type': 'local',
  });
  assert.deepEqual(metadata.finalizers, ['service.kubernetes.io/load-balancer-cleanup']);
  assert.deepEqual(status, {
    loadBalancer: { ingress: [{ ip: '192.0.2.0', ipMode: 'VIP' }] },
    conditions: [
      {
        type: 'Allocated',
        status: 'True',
        reason: 'Allocated',
        message: '192.0.2.0 from pool default',
        lastTransitionTime: '2026-01-01T00:00:00Z',
      },
    ],
  });
});

test('16.64: re-evaluation that changes nothing removes its annotation and nothing else', () => {
  const world = new World().group('default', ['192.0.2.0/24']).service('a/1').settle();
  world.takeEvents();
  world.edit('a/1', reEvaluate).settle();
  assert.equal(world.annotation('a/1', 're-evaluate'), undefined);
  assert.deepEqual([world.addresses('a/1'), world.takeEvents()], [['192.0.2.0'], []]);
});

test('16.64: two multi-pool Services are disjoint, and one that goes frees all it had', () => {
  const remote = { ...ranges('192.0.2.0/31', '198.51.100.0/31'), multiPool: true };
  const world = new World().group('default', { remote }).service('a/1').service('a/2').settle();
  assert.deepEqual(world.look(), ['a/1: 192.0.2.0, 198.51.100.0', 'a/2: 192.0.2.1, 198.51.100.1']);
  world.delete('a/1').settle().service('a/3').settle();
  assert.deepEqual(world.addresses('a/3'), ['192.0.2.0', '198.51.100.0']);
});

test('16.65: a Service that got nothing gets what another leaves, and is told once', () => {
  const world = new World().group('default', ['192.0.2.0/32']).service('a/1').service('a/2');
  world.settle().takeEvents();
  world.settle();
  assert.deepEqual(world.takeEvents(), []);
  world.delete('a/1').settle();
  assert.deepEqual(world.look(), ['a/2: 192.0.2.0']);
});

test('16.67: which families are kept, added and given up', () => {
  const world = new World().group('default', ['192.0.2.0/28', '2001:db8::/124']);
  const turn = (from: readonly ('IPv4' | 'IPv6')[], to: readonly ('IPv4' | 'IPv6')[]) => {
    const key = `a/${from.join('')}-${to.join('')}`;
    world.service(key, { families: from }).settle();
    const before = world.addresses(key);
    const spec = {
      ipFamilies: to,
      ipFamilyPolicy: to.length > 1 ? 'RequireDualStack' : 'SingleStack',
    };
    world.edit(key, { spec }).settle();
    const after = world.addresses(key);
    world.delete(key).settle();
    return [before, after];
  };
  const [v4, v6] = ['192.0.2.0', '2001:db8::'];
  assert.deepEqual(turn(['IPv4'], ['IPv4']), [[v4], [v4]]);
  assert.deepEqual(turn(['IPv6'], ['IPv6']), [[v6], [v6]]);
  assert.deepEqual(turn(dual, ['IPv4']), [[v4, v6], [v4]]);
  assert.deepEqual(turn(dual, ['IPv6']), [[v4, v6], [v6]]);
  assert.deepEqual(turn(['IPv4'], dual), [[v4], [v4, v6]]);
  assert.deepEqual(turn(['IPv6'], ['IPv6', 'IPv4']), [[v6], [v6, v4]]);
  assert.deepEqual(turn(['IPv4'], ['IPv4', 'IPv4']), [[v4], [v4]]);
  assert.deepEqual(turn(['IPv4'], ['IPv6']), [[v4], [v6]]);
});

test('16.67: what is no address is neither kept as ours nor given up', () => {
  const world = new World()
    .group('default', ['192.0.2.0/28', '2001:db8::/124'])
    .service('a/1', {
      annotations: { 'allocated-by': 'PureLB' },
      ingress: [{ hostname: 'lb.example' }, { ip: '2001:db8::3' }, { ip: '2001:db8::4' }],
    })
    .settle();
  assert.deepEqual(world.addresses('a/1'), ['192.0.2.0', 'lb.example']);
});
