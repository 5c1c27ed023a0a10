import assert from 'node:assert/strict';
import { test } from 'node:test';
import { familySamples } from './cluster.fixture.ts';
import { checkedGroup, service } from './pool.fixture.ts';
import { rankNodes } from './rank-nodes.ts';
import { place } from './snapshot.fixture.ts';
import { macOfNode } from './wire.fixture.ts';

for (const { family, vip } of familySamples) {
  const [winner = '', second = '', third = ''] = rankNodes(vip, ['a', 'b', 'c']);
  const annotation = family === 'ipv4' ? 'purelb.io/announcing-IPv4' : 'purelb.io/announcing-IPv6';

  /** Whom the first in rank asks by themselves before it adds the address; undefined: it does not ask. */
  const suspects = (slot: string, claims: readonly string[] = []) => {
    const annotations = slot === '' ? {} : { [annotation]: `${slot},eth0,${vip}` };
    const silent = new Map([['eth0', new Set(slot === winner ? [] : [slot])]]);
    const [decision] = place({
      services: [service('web', [vip], { annotations })],
      pools: [checkedGroup],
      electorate: { me: winner },
      wire: { claims: new Map([[vip, new Set(claims)]]), silent },
    }).decisions;
    return decision?.asks?.map(({ to }) => to);
  };

  test(`${family}: whoever is said to hold it is asked by itself`, () => {
    assert.deepEqual(suspects(second), [[macOfNode(second)]]);
    assert.deepEqual(suspects(second, [third]), [[second, third].map(macOfNode)]);
  });

  test(`${family}: where this node is said to hold it, and does not, its heirs are`, () => {
    assert.deepEqual(suspects(winner), [[second, third].map(macOfNode)]);
  });
}
