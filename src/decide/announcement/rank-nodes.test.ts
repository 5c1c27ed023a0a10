import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { rankNodes } from './rank-nodes.ts';

// Bit-exact vectors: other implementations and tools must come to the same order.
const vectors: readonly (readonly [key: string, nodes: string, order: string])[] = [
  ['test-key', 'test-node0 test-node1 test-node2', 'test-node0 test-node1 test-node2'],
  ['test-key-nodeXX', 'test-node0 test-node1 test-node2', 'test-node1 test-node0 test-node2'],
  ['test-key-foo', 'test-node0 test-node1 test-node2', 'test-node2 test-node0 test-node1'],
  ['192.168.1.1', 'node-a node-b node-c', 'node-b node-c node-a'],
  ['192.168.1.50', 'node-a node-b node-c', 'node-c node-a node-b'],
  ['192.168.1.100', 'node-a node-b node-c', 'node-c node-b node-a'],
  ['192.168.1.200', 'node-a node-b node-c', 'node-a node-c node-b'],
  ['10.5.5.5', 'node-a node-b node-c', 'node-a node-b node-c'],
  ['2001:db8::5', 'node-a node-b node-c', 'node-a node-c node-b'],
  ['192.168.1.100', 'a b c', 'b c a'],
  ['2001:db8::5', 'a b c', 'c b a'],
];

for (const [key, nodes, order] of vectors) {
  test(`${key} ranks ${nodes} as ${order}`, () => {
    assert.deepEqual(rankNodes(key, nodes.split(' ')), order.split(' '));
    assert.deepEqual(rankNodes(key, nodes.split(' ').reverse()), order.split(' '));
  });
}

test('the digest is that of the published vector', () => {
  assert.equal(
    hash('sha256', 'node-a#192.168.1.100', 'hex'),
    'd1c22f51a19cc01b94f2306ca895a9b170ce7b42f4d0c5b241e639fe19bbb745',
  );
});

test('of 100 keys each of 3 nodes is first for more than 10', () => {
  const firsts = Array.from({ length: 100 }, (_, n) => rankNodes(`key-${n}`, ['a', 'b', 'c'])[0]);
  for (const node of ['a', 'b', 'c']) {
    assert.ok(firsts.filter((first) => first === node).length > 10);
  }
});

test('taking a node out leaves the order of the others as it was', () => {
  const nodes = fc.uniqueArray(fc.stringMatching(/^[a-z0-9-]{1,12}$/), { minLength: 1 });
  fc.assert(
    fc.property(fc.string(), nodes, (key, names) => {
      const [gone] = names;
      assert.deepEqual(
        rankNodes(key, names.slice(1)),
        rankNodes(key, names).filter((node) => node !== gone),
      );
    }),
  );
});
