import assert from 'node:assert/strict';
import { test } from 'node:test';
import { World } from './world.fixture.ts';

test('holders come first, then the oldest, whatever the order they come in', () => {
  const world = new World()
    .group('default', ['192.0.2.0/30'])
    .service('a/b')
    .service('a/a')
    .service('a/held', {
      annotations: { 'allocated-by': 'PureLB' },
      ingress: [{ ip: '192.0.2.0' }],
    });
  assert.deepEqual(
    world.plan().decisions.map(({ service, kind }) => `${kind} ${service.key}`),
    ['keep a/held', 'assign a/b', 'assign a/a'],
  );
  assert.deepEqual(world.settle().look(), [
    'a/b: 192.0.2.1',
    'a/a: 192.0.2.2',
    'a/held: 192.0.2.0',
  ]);
});

test('peers: pending Services steal nothing on a restart with a full pool', () => {
  const world = new World()
    .group('default', ['192.0.2.0/31'])
    .service('a/1')
    .service('a/2')
    .service('a/3');
  world.settle();
  const before = world.look();
  for (let restart = 0; restart < 3; restart++) assert.deepEqual(world.settle().look(), before);
  world.delete('a/1').settle();
  assert.deepEqual(world.look(), ['a/2: 192.0.2.1', 'a/3: 192.0.2.0']);
});

test('peers: a pool that is widened, narrowed or shared on restart renumbers nobody', () => {
  const share = (port: string) => ({ ports: [port], annotations: { 'allow-shared-ip': 'k' } });
  const world = new World()
    .group('default', ['192.0.2.8/29'])
    .service('a/1', share('TCP/1'))
    .service('a/2', share('TCP/2'))
    .service('a/3')
    .settle();
  const before = world.look();
  for (const texts of [['192.0.2.0/28'], ['192.0.2.8/30'], ['192.0.2.12/30'], ['192.0.2.8/29']]) {
    assert.deepEqual(world.editGroup('default', texts).settle().look(), before, texts.join());
  }
});

test('an empty cluster is an empty plan', () => {
  assert.deepEqual(new World().plan(), {
    decisions: [],
    undone: [],
    pools: [],
    finalizers: new Map(),
    wakeAt: undefined,
  });
});

test('what is ignored says why, and is never to be written', () => {
  const world = new World().service('a/1', { class: 'example.com/lb' });
  assert.deepEqual(world.look(), ['a/1: ignored, its loadBalancerClass is example.com/lb']);
});
