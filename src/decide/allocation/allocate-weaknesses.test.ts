/** Upstream's weaknesses (specification 17) and what ours does instead, row by row: what Services hold and get. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ranges } from './raw-objects.fixture.ts';
import { World } from './world.fixture.ts';

const dual = ['IPv4', 'IPv6'] as const;
const ports = (...numbers: readonly number[]) => ({
  spec: { ports: numbers.map((port) => ({ protocol: 'TCP', port })) },
});

test('17.3: a Service whose brand was lost in a crash is branded, not forgotten', () => {
  const world = new World()
    .group('default', ['192.0.2.0/30'])
    .service('a/new')
    .service('a/cut-off', { ingress: [{ ip: '192.0.2.0' }] })
    .settle();
  assert.deepEqual(world.look(), ['a/new: 192.0.2.1', 'a/cut-off: 192.0.2.0']);
  assert.equal(world.annotation('a/cut-off', 'allocated-by'), 'PureLB');
  assert.equal(world.annotation('a/cut-off', 'allocated-from'), 'default');
});

test('17.4, 17.5: every plan derives what is in use, so that no order of events forgets an address', () => {
  const world = new World().group('default', ['192.0.2.0/30']).service('a/1').settle();
  world.groups.clear();
  world.settle().group('default', ['192.0.2.0/30']).service('a/2').settle();
  assert.deepEqual(world.look(), ['a/1: 192.0.2.0', 'a/2: 192.0.2.1']);
});

test('17.7: a dual-stack Service that asks for one address has it once', () => {
  const world = new World()
    .group('default', ['192.0.2.0/30', '2001:db8::/126'])
    .service('a/prefers', {
      families: dual,
      policy: 'PreferDualStack',
      annotations: { addresses: '192.0.2.2,192.0.2.2' },
    })
    .service('a/requires', { families: dual, annotations: { addresses: '192.0.2.3' } })
    .settle();
  assert.deepEqual(world.look(), [
    'a/prefers: 192.0.2.2',
    'a/requires: Refused, no IPv6 address is asked for beside 192.0.2.3',
  ]);
  assert.match(world.condition('a/prefers') ?? '', /^True PartiallyAllocated.*no IPv6 address/);
});

test('17.7: growing to dual-stack adds the second address asked for, and not the first again', () => {
  const annotations = { addresses: '192.0.2.2,2001:db8::2' };
  const world = new World()
    .group('default', ['192.0.2.0/30', '2001:db8::/126'])
    .service('a/1', { annotations: { addresses: '192.0.2.2' } })
    .settle();
  const spec = { ipFamilies: dual, ipFamilyPolicy: 'RequireDualStack' };
  world.edit('a/1', { annotations, spec }).settle();
  assert.deepEqual(world.addresses('a/1'), ['192.0.2.2', '2001:db8::2']);
});

test('17.8: addresses asked for are given all together or not at all', () => {
  const world = new World()
    .group('default', ['192.0.2.0/30', '2001:db8::/126'])
    .service('a/1', { families: ['IPv6'] })
    .service('a/2', { families: dual, annotations: { addresses: '192.0.2.0,2001:db8::' } })
    .settle();
  assert.deepEqual(world.look(), [
    'a/1: 2001:db8::',
    'a/2: Refused, address 2001:db8:: is in use by a/1',
  ]);
  assert.equal(world.groupStatus('default').allocatedIPv4, 0);
});

test('17.12: a Service waits for what would help it, and for nothing else', () => {
  const world = new World()
    .group('default', ['192.0.2.0/32'])
    .service('a/1')
    .service('a/2')
    .service('a/3', { annotations: { addresses: '192.0.2.0' } })
    .service('a/4', { annotations: { 'service-group': 'none' } })
    .settle();
  const waits = (key: string) => {
    const decision = world.decision(key);
    return decision.kind === 'ignore' ? [] : decision.waitsFor.slice(1);
  };
  assert.deepEqual(waits('a/1'), []);
  assert.deepEqual(waits('a/2'), [{ kind: 'pool', pool: 'default', family: 'ipv4' }]);
  assert.deepEqual(waits('a/3'), [{ kind: 'address', ip: '192.0.2.0' }]);
  assert.deepEqual(waits('a/4'), [{ kind: 'group', name: 'none' }]);
});

test('17.15: addresses of two groups count each in its own', () => {
  const world = new World()
    .group('four', ['192.0.2.0/30'])
    .group('six', ['2001:db8::/126'])
    .service('a/1', { families: dual, annotations: { addresses: '192.0.2.1,2001:db8::1' } })
    .settle();
  const counts = ['four', 'six'].map((name) => {
    const { allocatedIPv4, allocatedIPv6 } = world.groupStatus(name);
    return [allocatedIPv4, allocatedIPv6];
  });
  assert.deepEqual(counts, [
    [1, 0],
    [0, 1],
  ]);
  assert.equal(world.annotation('a/1', 'allocated-from'), 'four, six');
});

test('17.17, 17.37: a change of type releases, whoever is the default, and leaves no mark of ours', () => {
  const world = new World()
    .group('default', { local: { ...ranges('192.0.2.0/32'), skipIPv6DAD: true } })
    .service('a/1', { class: 'purelb.io/purelbv2', labels: { app: 'x' } })
    .service('a/2', { class: 'purelb.io/purelb' });
  world.settings = { ...world.settings, isDefaultAnnouncer: false };
  world.settle();
  world.edit('a/1', { annotations: { 'announcing-IPv4': 'n,e,192.0.2.0', 'added-to': 'n/e' } });
  world.changeType('a/1', 'NodePort').takeEvents();
  world.settle();
  const { metadata, status } = world.services.get('a/1') ?? { metadata: { name: '' } };
  assert.deepEqual(
    [metadata.annotations, metadata.finalizers, status],
    [{}, [], { loadBalancer: {}, conditions: [] }],
  );
  assert.deepEqual(world.takeEvents().slice(0, 1), [
    'a/1 AddressReleased: Service is Type NodePort, not LoadBalancer',
  ]);
  assert.deepEqual(world.look(), ['a/1: ignored, it is of type NodePort', 'a/2: 192.0.2.0']);
});

test('17.18: an edit of what is asked for moves nothing until re-evaluation is asked for', () => {
  const world = new World()
    .group('default', ['192.0.2.0/30'])
    .group('other', ['198.51.100.0/30'])
    .service('a/old', { annotations: { 'allow-shared-ip': 'k' } })
    .service('a/1')
    .settle();
  world.edit('a/1', { annotations: { 'service-group': 'other' } }).settle();
  assert.deepEqual(world.addresses('a/1'), ['192.0.2.1']);
  assert.match(world.condition('a/1') ?? '', /^True NotAsAsked: .*pool "other" is asked for/);
  world.edit('a/1', { annotations: { 're-evaluate': 'true' } }).settle();
  assert.deepEqual(world.addresses('a/1'), ['198.51.100.0']);
  world.edit('a/1', { annotations: { addresses: '192.0.2.3', 're-evaluate': 'true' } }).settle();
  assert.deepEqual(world.addresses('a/1'), ['192.0.2.3']);
  const sharing = { addresses: null, 'service-group': null, 'allow-shared-ip': 'k' };
  world.edit('a/1', { annotations: sharing, ...ports(81) }).settle();
  assert.match(world.condition('a/1') ?? '', /sharing key "k" is bound to another address/);
  world.edit('a/1', { annotations: { 're-evaluate': 'true' } }).settle();
  assert.deepEqual(world.look(), ['a/old: 192.0.2.0', 'a/1: 192.0.2.0']);
});

test('17.18: re-evaluation that cannot be met keeps what there is and says why', () => {
  const world = new World()
    .group('default', ['192.0.2.0/30'])
    .service('a/1')
    .service('a/2')
    .settle();
  const annotations = { addresses: '192.0.2.1', 're-evaluate': 'true' };
  world.edit('a/1', { annotations }).settle();
  assert.deepEqual(world.addresses('a/1'), ['192.0.2.0']);
  assert.equal(world.annotation('a/1', 're-evaluate'), undefined);
  assert.match(world.condition('a/1') ?? '', /^True NotAsAsked: .*192.0.2.1 is asked for/);
});

test('17.18: with automatic convergence an edit moves at once', () => {
  const world = new World()
    .group('default', ['192.0.2.0/30'])
    .group('other', ['198.51.100.0/30'])
    .service('a/1')
    .settle();
  world.settings = { ...world.settings, convergesUnasked: true };
  world.edit('a/1', { annotations: { 'service-group': 'other' } }).settle();
  assert.deepEqual(world.addresses('a/1'), ['198.51.100.0']);
});

test('17.19: PreferDualStack is content with one family, and takes the other when it can', () => {
  const text = { families: dual, policy: 'PreferDualStack' } as const;
  const world = new World().group('default', ['192.0.2.0/30']).service('a/1', text).settle();
  assert.deepEqual(world.addresses('a/1'), ['192.0.2.0']);
  assert.ok(
    world.takeEvents().includes('a/1 ConfigurationWarning: pool "default" has no IPv6 addresses'),
  );
  world.editGroup('default', ['192.0.2.0/30', '2001:db8::/126']).settle();
  assert.deepEqual(world.addresses('a/1'), ['192.0.2.0', '2001:db8::']);
  assert.match(world.condition('a/1') ?? '', /^True Allocated/);
  world.editGroup('default', ['192.0.2.0/30']).settle();
  assert.deepEqual(world.addresses('a/1'), ['192.0.2.0', '2001:db8::'], 'a group never takes back');
});

test('17.26: addresses that others gave are neither added to nor taken away', () => {
  const world = new World()
    .group('default', ['192.0.2.0/30'])
    .service('a/cloud', { ingress: [{ hostname: 'lb.example' }] })
    .service('a/other', { ingress: [{ ip: '203.0.113.1' }], families: dual })
    .service('a/mixed', { ingress: [{ ip: '192.0.2.0' }, { ip: '203.0.113.2' }] });
  const before = structuredClone([...world.services.values()]);
  world.settle();
  assert.deepEqual([...world.services.values()], before);
  world.service('a/new').settle();
  assert.deepEqual(world.addresses('a/new'), ['192.0.2.1'], 'what others hold is not given out');
});

test('17.30: a refusal is counted once, by the name of a pool that exists', () => {
  const world = new World()
    .group('default', ['192.0.2.0/32'])
    .service('a/1')
    .service('a/2')
    .service('a/3', { annotations: { 'service-group': 'made-up' } });
  const counts = (key: string) => {
    const decision = world.decision(key);
    return decision.kind === 'ignore' ? [] : decision.counts;
  };
  assert.deepEqual(counts('a/2'), [{ what: 'rejected', pool: 'default', reason: 'exhausted' }]);
  const unknown = { what: 'rejected', pool: '<unknown>', reason: 'unknown_pool' };
  assert.deepEqual(counts('a/3'), [unknown]);
  world.settle();
  assert.deepEqual([counts('a/2'), counts('a/3')], [[], []]);
});

test('a refusal of a Service that names no pool is counted as none, as upstream does it', () => {
  const decision = new World().service('a/1').decision('a/1');
  assert.deepEqual(decision.kind === 'ignore' ? [] : decision.counts, [
    { what: 'rejected', pool: '<none>', reason: 'unknown_pool' },
  ]);
});

test('17.32: a group that exists but cannot be used is told from one that does not', () => {
  const ask = (group: string) => ({ annotations: { 'service-group': group } });
  const world = new World()
    .group('one', ['192.0.2.0/30'])
    .group('broken', ['192.0.2.9-192.0.2.1'])
    .group('twin', ['192.0.2.0/31'])
    .group('away', ['198.51.100.0/30'], 'elsewhere')
    .service('a/1', ask('broken'))
    .service('a/2', ask('twin'))
    .service('a/3', ask('away'))
    .service('a/4', ask('none'))
    .settle();
  assert.deepEqual(world.look(), [
    'a/1: NoUsablePool, no usable pool: ServiceGroup "broken" failed to parse',
    'a/2: NoUsablePool, no usable pool: ServiceGroup "twin" was refused: Pool overlaps with already defined pool "one"',
    'a/3: NoUsablePool, no usable pool: ServiceGroup "away" is in namespace "elsewhere"',
    'a/4: UnknownPool, unknown pool "none": did you mean "one"?',
  ]);
});

test('17.34: what happened is said in words, once', () => {
  const world = new World()
    .group('default', ['192.0.2.0/31', '2001:db8::/127'])
    .service('a/1', { families: dual })
    .settle();
  assert.deepEqual(world.takeEvents(), [
    'default Parsed: ServiceGroup parsed successfully',
    'a/1 AddressAssigned: Assigned 192.0.2.0, 2001:db8:: from pool default',
  ]);
  world.settle().editGroup('default', ['192.0.2.0/31', '2001:db8::/126']).settle();
  assert.deepEqual(world.takeEvents(), []);
});

test('17.35: a group is named once, however many addresses are from it', () => {
  const world = new World()
    .group('default', ['192.0.2.0/31', '2001:db8::/127'])
    .service('a/1', { families: dual, annotations: { addresses: '192.0.2.1,2001:db8::1' } })
    .settle();
  assert.equal(world.annotation('a/1', 'allocated-from'), 'default');
});

test('17.36: blanks around addresses are passed over, and an empty wish is none', () => {
  const world = new World()
    .group('default', ['192.0.2.0/30'])
    .service('a/1', { annotations: { addresses: ' 192.0.2.3 , ' } })
    .service('a/2', { annotations: { addresses: '' } })
    .service('a/3', { annotations: { addresses: 'nonsense' } })
    .settle();
  assert.deepEqual(world.look().slice(0, 2), ['a/1: 192.0.2.3', 'a/2: 192.0.2.0']);
  assert.match(world.look()[2] ?? '', /^a\/3: Refused, invalid request: .*"nonsense" is not an IP/);
  const empty = 'annotation purelb.io/addresses is empty and asks for nothing: remove it';
  assert.equal(world.condition('a/2'), `True Allocated: 192.0.2.0 from pool default; ${empty}`);
  assert.ok(world.takeEvents().includes(`a/2 ConfigurationWarning: ${empty}`));
  world.edit('a/2', { annotations: { addresses: null } }).settle();
  assert.equal(world.condition('a/2'), 'True Allocated: 192.0.2.0 from pool default');
});

test('17.44: a Service that gets nothing says why in its condition', () => {
  const world = new World()
    .group('default', ['192.0.2.0/32'])
    .service('a/1')
    .service('a/2')
    .settle();
  assert.equal(
    world.condition('a/2'),
    'False Exhausted: pool "default" exhausted: no available addresses for a/2',
  );
});
