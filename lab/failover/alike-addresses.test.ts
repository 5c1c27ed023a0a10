import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rankNodes } from '../../src/decide/announcement/rank-nodes.ts';
import { chooseAlike } from './alike-addresses.ts';

test('whichever nodes are left, both addresses go to the same one', () => {
  const nodes = ['node1', 'node2', 'node3'];
  const { ipv4, ipv6 } = chooseAlike(nodes);
  const lefts = [nodes, ...nodes.map((dead) => nodes.filter((node) => node !== dead))];
  for (const left of lefts) {
    assert.equal(rankNodes(ipv4, left)[0], rankNodes(ipv6, left)[0]);
  }
});
