import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RouterView } from '../router/router-watch.ts';
import { drawRouter } from './draw-router.ts';
import { facts } from './facts.fixture.ts';
import { toText } from './styled-text.ts';

const all = ['node1', 'node2', 'node3', 'node4', 'node5'];

function draw(router: RouterView | undefined): readonly string[] {
  return drawRouter(facts({ router })).map((each) => toText(each, false).trimEnd());
}

test('each address has a line with the nodes that it is spread over', () => {
  const ways = [
    { prefix: '203.0.113.128', nodes: all },
    { prefix: '203.0.113.129', nodes: ['node4', 'node5'] },
    { prefix: '2001:db8:aa::', nodes: ['node4'] },
  ];
  assert.deepEqual(draw({ kind: 'frr', sessions: all, ways }), [
    ' ROUTER FRR, and over which nodes it spreads packets',
    ' BGP session    node1  node2  node3  node4  node5',
    ' 203.0.113.128  node1  node2  node3  node4  node5  1/5 each',
    ' 203.0.113.129  ·      ·      ·      node4  node5  1/2 each',
    ' 2001:db8:aa::  ·      ·      ·      node4  ·      all of it',
  ]);
});

test('a node without a session is seen', () => {
  const sessions = all.filter((name) => name !== 'node2');
  assert.deepEqual(draw({ kind: 'bird', sessions, ways: [] }), [
    ' ROUTER BIRD, and over which nodes it spreads packets',
    ' BGP session  node1  ✗  node3  node4  node5',
  ]);
});

test('where nodes speak no BGP nothing is shown', () => {
  assert.deepEqual(draw(undefined), []);
});
