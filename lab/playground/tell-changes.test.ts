import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ClusterFacts } from './cluster-facts.ts';
import { facts, ip, node, service, traffic } from './facts.fixture.ts';
import { tellChanges } from './tell-changes.ts';

function told(before: Partial<ClusterFacts>, after: Partial<ClusterFacts>): readonly string[] {
  return tellChanges(facts(before), facts(after)).map(({ text }) => text);
}

const holds = [{ ip: ip('192.0.2.100'), link: 'eth0' }];

test('where nothing changed nothing is told', () => {
  assert.deepEqual(told({}, {}), []);
});

test('a Service that comes, gets an address and goes', () => {
  const empty = { services: [], traffic: [], nodes: [node(1), node(2)] };
  const waiting = { ...empty, services: [service({ ips: [], pool: undefined })] };
  const served = { ...empty, services: [service()] };
  assert.deepEqual(told(empty, waiting), ['default/web is created.']);
  assert.deepEqual(told(waiting, served), [
    'default/web gets 192.0.2.100 from pool default (local).',
  ]);
  assert.deepEqual(told(served, empty), ['default/web is deleted.']);
});

test('a node that dies, and who takes over', () => {
  const dead = [node(1), node(2, { power: 'off', holds }), node(3)];
  const taken = [node(1), node(2, { power: 'off', isReady: false, holds }), node(3, { holds })];
  const before = [node(1), node(2, { holds }), node(3)];
  assert.deepEqual(told({ nodes: before }, { nodes: dead }), [
    'node2 is dead.',
    '192.0.2.100 is on no node.',
  ]);
  assert.deepEqual(told({ nodes: dead }, { nodes: taken }), [
    'Kubernetes noticed: node2 is not ready.',
    '192.0.2.100 is on node3.',
  ]);
  assert.deepEqual(
    told({ nodes: before }, { nodes: taken }).at(-1),
    '192.0.2.100 moves from node2 to node3.',
  );
});

test('an address of many nodes is told by their number', () => {
  const all = [1, 2, 3, 4, 5].map((number) => node(number, { holds }));
  assert.deepEqual(told({}, { nodes: all }), ['192.0.2.100 is on 5 nodes.']);
  assert.deepEqual(told({}, { nodes: all.slice(0, 2) }), ['192.0.2.100 is on node1, node2.']);
});

test('an agent that stands still is no reason to worry', () => {
  const frozen = [node(1, { agent: 'frozen', holds })];
  assert.deepEqual(told({ nodes: [node(1, { holds })] }, { nodes: frozen }), [
    'The agent on node1 stands still; its kernel goes on answering.',
  ]);
});

test('what is wrong with a Service is told once, with the reason', () => {
  const condition = { type: 'Allocated', isTrue: false, reason: 'PoolExhausted', message: 'full' };
  const wrong = { services: [service({ conditions: [condition] })] };
  assert.deepEqual(told({}, wrong), ['default/web: not Allocated (PoolExhausted): full']);
  assert.deepEqual(told(wrong, wrong), []);
});

test('lost packets are told once it is over', () => {
  const silent = { ticks: [{ sent: 100, answered: 0 }], lost: 80 };
  const over = { lost: 350, settledLost: 350, longestOutageMs: 340 };
  assert.deepEqual(told({}, { traffic: [traffic(silent)] }), []);
  assert.deepEqual(told({ traffic: [traffic(silent)] }, { traffic: [traffic(over)] }), [
    'The client lost 350 packets to 192.0.2.100; at most 340 ms in a row.',
  ]);
  assert.deepEqual(told({ traffic: [traffic(over)] }, { traffic: [traffic(over)] }), []);
});

test('an API server that goes and comes', () => {
  const away = facts().api;
  assert.deepEqual(told({}, { api: { ...away, isUp: false } }), [
    'The API server is away: agents keep what they hold.',
  ]);
  assert.deepEqual(told({ api: { ...away, isUp: false } }, {}), ['The API server answers again.']);
});

test('what the router learns and forgets', () => {
  const view = (sessions: readonly string[], ways: readonly string[]) =>
    ({
      kind: 'frr',
      sessions,
      ways: ways.length === 0 ? [] : [{ prefix: '203.0.113.128', nodes: ways }],
    }) as const;
  const [none, one] = [view([], []), view(['node1', 'node2'], ['node1', 'node2'])];
  assert.deepEqual(told({ router: none }, { router: one }), [
    'The router speaks BGP with node1, node2.',
    'The router spreads 203.0.113.128 over node1, node2.',
  ]);
  assert.deepEqual(told({ router: one }, { router: view(['node1'], ['node1']) }), [
    'The router has lost its BGP session with node2.',
    'The router spreads 203.0.113.128 over node1, no longer over node2.',
  ]);
  assert.deepEqual(told({ router: one }, { router: view(['node1', 'node2'], []) }), [
    'The router has no way to 203.0.113.128 any more.',
  ]);
  assert.deepEqual(told({ router: one }, { router: one }), []);
});
