import assert from 'node:assert/strict';
import { test } from 'node:test';
import { prefixOf } from '../../model/prefix.ts';
import type { ServiceText } from './raw-objects.fixture.ts';
import { World } from './world.fixture.ts';

const dual = ['IPv4', 'IPv6'] as const;
const ask = { annotations: { 'service-group': 'ext' } };

function external(text: ServiceText = ask): World {
  return new World()
    .group('ext', { external: { provider: 'acme', announce: 'remote' } })
    .group('own', ['192.0.2.0/30'])
    .service('a/1', text);
}

function answered(world: World, ...addresses: readonly string[]): World {
  world.answers.set('a/1', { pool: 'ext', addresses: addresses.map(prefixOf), failures: [] });
  return world.settle();
}

test('16.70: a source is asked for what is missing, and its answer is given', () => {
  const world = external().settle();
  const decision = world.decision('a/1');
  assert.ok(decision.kind === 'pending');
  assert.deepEqual(decision.waitsFor, [
    {
      kind: 'source',
      request: { pool: 'ext', families: ['ipv4'], addresses: [], sharingKey: undefined },
    },
  ]);
  answered(world, '203.0.113.7/24');
  assert.deepEqual(world.addresses('a/1'), ['203.0.113.7']);
  assert.equal(world.annotation('a/1', 'allocated-prefixes'), '203.0.113.7/24');
  assert.equal(world.annotation('a/1', 'pool-type'), 'remote');
  world.answers.clear();
  assert.equal(world.decision('a/1').kind, 'keep', 'what was given needs no further answer');
  assert.equal(world.groupStatus('ext').allocatedIPv4, 1);
  assert.equal(world.groupStatus('ext').availableIPv4, undefined);
});

test('16.70: an answer without addresses, or with too many, is a failure', () => {
  assert.match(answered(external()).look()[0] ?? '', /acme returned no IPs and no error/);
  const many = Array.from({ length: 17 }, (_, index) => `203.0.113.${index}/32`);
  assert.match(answered(external(), ...many).look()[0] ?? '', /returned 17 IPs \(max 16\)/);
});

test('17.27: an answer is believed only after a look at it', () => {
  const look = (...addresses: readonly string[]) => answered(external(), ...addresses).look()[0];
  assert.equal(
    look('2001:db8::1/64'),
    'a/1: Refused, acme returned 2001:db8::1, which is not of a family of the Service',
  );
  assert.equal(
    look('192.0.2.1/24'),
    'a/1: Refused, acme returned 192.0.2.1, which belongs to pool "own"',
  );
  assert.equal(look('203.0.113.7/24', '203.0.113.7/24'), 'a/1: 203.0.113.7');
  const taken = external().service('b/1', { ingress: [{ ip: '203.0.113.7' }] });
  assert.equal(
    answered(taken, '203.0.113.7/24').look()[0],
    'a/1: Refused, acme returned 203.0.113.7: address 203.0.113.7 is in use by b/1',
  );
});

test('17.27: growing to dual-stack asks for the other family alone, and keeps the first', () => {
  const world = answered(external(), '203.0.113.7/24');
  world.answers.clear();
  world.edit('a/1', { spec: { ipFamilies: dual, ipFamilyPolicy: 'RequireDualStack' } }).settle();
  assert.deepEqual(world.addresses('a/1'), ['203.0.113.7']);
  answered(world, '203.0.113.7/24', '2001:db8::7/64');
  assert.deepEqual(world.addresses('a/1'), ['203.0.113.7', '2001:db8::7']);
});

test('17.27: addresses by name go to the source that the Service names', () => {
  const annotations = { 'service-group': 'ext', addresses: '203.0.113.9' };
  const world = external({ annotations }).settle();
  const decision = world.decision('a/1');
  assert.ok(decision.kind === 'pending');
  const [wait] = decision.waitsFor;
  assert.deepEqual(wait?.kind === 'source' && wait.request.addresses, ['203.0.113.9']);
  assert.match(answered(world, '203.0.113.8/32').look()[0] ?? '', /which was not asked for/);
  assert.deepEqual(answered(world, '203.0.113.9/32').addresses('a/1'), ['203.0.113.9']);
});

test('a source that refuses is passed on, and one that gives too little is too', () => {
  const world = external();
  world.answers.set('a/1', {
    pool: 'ext',
    addresses: [],
    failures: [{ family: 'ipv4', reason: 'exhausted', message: 'is full' }],
  });
  assert.deepEqual(world.settle().look(), ['a/1: Exhausted, acme is full']);
  const both = external({ ...ask, families: dual });
  assert.match(answered(both, '203.0.113.7/24').look()[0] ?? '', /acme gave no IPv6 address/);
  const prefers = external({ ...ask, families: dual, policy: 'PreferDualStack' });
  assert.equal(answered(prefers, '203.0.113.7/24').look()[0], 'a/1: 203.0.113.7');
});

test('an answer for another pool is none', () => {
  const world = external();
  world.answers.set('a/1', {
    pool: 'x',
    addresses: [prefixOf('203.0.113.7/24')],
    failures: [],
  });
  assert.deepEqual(world.settle().look(), ['a/1: pending source']);
});

test('an answer that another Service is just leaving waits for that', () => {
  const world = answered(external(), '203.0.113.7/24').service('a/2', ask).settle();
  world.delete('a/1').settle();
  const addresses = [prefixOf('203.0.113.7/24')];
  world.answers.set('a/2', { pool: 'ext', addresses, failures: [] });
  assert.equal(world.settle().look()[1], 'a/2: pending address, source');
});

test('an address outside the prefixes of the group is not taken, whoever says it', () => {
  const world = new World()
    .group('ext', { netbox: { url: 'https://netbox.example', prefixes: ['198.51.100.0/24'] } })
    .service('a/1', ask);
  assert.match(answered(world, '203.0.113.7/24').look()[0] ?? '', /lies in none of the prefixes/);
  assert.deepEqual(answered(world, '198.51.100.7/24').addresses('a/1'), ['198.51.100.7']);
});

test('decision 9: Netbox\u2019s prefix is written down, or the one that the group says', () => {
  const netbox = (aggregation?: string) => {
    const world = new World()
      .group('ext', {
        netbox: { url: 'https://netbox.example', tenant: 't', ...(aggregation && { aggregation }) },
      })
      .service('a/1', ask);
    return answered(world, '203.0.113.7/24').annotation('a/1', 'allocated-prefixes');
  };
  assert.deepEqual([netbox(), netbox('/32')], ['203.0.113.7/24', '203.0.113.7/32']);
});
