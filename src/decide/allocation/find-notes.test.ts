import assert from 'node:assert/strict';
import { test } from 'node:test';
import { World } from './world.fixture.ts';

test('the gravest comes first and gives the reason, the others are said too', () => {
  const held = { 'allocated-by': 'PureLB', 'allocated-from': 'default' };
  const world = new World()
    .group('default', ['192.0.2.0/30'])
    .service('a/1', { annotations: held, ingress: [{ ip: '192.0.2.0' }] })
    .service('a/2', {
      families: ['IPv4', 'IPv6'],
      policy: 'PreferDualStack',
      annotations: { ...held, 'service-group': 'other' },
      ingress: [{ ip: '192.0.2.0' }, { ip: '203.0.113.1' }],
    })
    .settle();
  const { decisions } = world.plan();
  const condition = decisions.flatMap((each) =>
    each.service.key === 'a/2' && each.kind !== 'ignore' ? [each.condition] : [],
  )[0];
  assert.deepEqual(
    [condition?.status, condition?.reason, condition?.message.split('; ')],
    [
      'False',
      'Refused',
      [
        '192.0.2.0, 203.0.113.1 from pool default',
        'address 192.0.2.0 is in use by a/1',
        'pool "default" has no IPv6 addresses',
        'no group in force has 203.0.113.1: kept until annotation purelb.io/re-evaluate: "true" asks for another',
        'pool "other" is asked for: kept until annotation purelb.io/re-evaluate: "true" asks for another',
      ],
    ],
  );
});

test('a Service that has what it asks for has nothing to be told', () => {
  const annotations = { 'service-group': 'x', addresses: '192.0.2.2', 'allow-shared-ip': 'k' };
  const world = new World().group('x', ['192.0.2.0/30']).service('a/1', { annotations }).settle();
  assert.equal(world.condition('a/1'), 'True Allocated: 192.0.2.2 from pool x');
});

test('trust: a share across namespaces is told to both, once, and within one namespace to nobody', () => {
  const share = (port: string) => ({ ports: [port], annotations: { 'allow-shared-ip': 'front' } });
  const world = new World()
    .group('default', ['192.0.2.0/28'])
    .service('a/1', share('TCP/1'))
    .service('a/2', share('TCP/2'))
    .settle();
  assert.ok(!world.takeEvents().some((text) => text.includes('AddressShared')));
  world.service('b/1', share('TCP/3')).settle();
  const news = world.takeEvents().filter((text) => text.includes('AddressShared'));
  assert.deepEqual(news.sort(), [
    'a/1 AddressShared: 192.0.2.0 is shared with Services of namespace b',
    'a/2 AddressShared: 192.0.2.0 is shared with Services of namespace b',
    'b/1 AddressShared: 192.0.2.0 is shared with Services of namespace a',
  ]);
  assert.match(world.condition('a/1') ?? '', /^True Allocated: .*; 192.0.2.0 is shared with/);
  world.service('b/2', share('TCP/4')).settle();
  const more = world.takeEvents().filter((text) => text.includes('AddressShared'));
  assert.deepEqual(more, ['b/2 AddressShared: 192.0.2.0 is shared with Services of namespace a']);
});

test('trust: who shares is named for three namespaces, and the text stays the same beyond', () => {
  const share = (port: string) => ({ ports: [port], annotations: { 'allow-shared-ip': 'front' } });
  const world = new World().group('default', ['192.0.2.0/28']).service('a/1', share('TCP/1'));
  for (const [index, name] of [...'bcdefg'].entries())
    world.service(`${name}/1`, share(`TCP/${index + 2}`));
  world.settle().takeEvents();
  world.service('h/1', share('TCP/99')).settle();
  const news = world.takeEvents().filter((text) => text.includes('AddressShared'));
  assert.deepEqual(news, [
    'h/1 AddressShared: 192.0.2.0 is shared with Services of namespace a, b, c and others',
  ]);
});
