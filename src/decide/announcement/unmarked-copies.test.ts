import assert from 'node:assert/strict';
import { test } from 'node:test';
import { familySamples, member } from './cluster.fixture.ts';
import { held, link, ours } from './node.fixture.ts';
import { service } from './pool.fixture.ts';
import { rankNodes } from './rank-nodes.ts';
import { collectCopies, findCopyOwner, findServing, findUnmarked } from './unmarked-copies.ts';

const eth0 = link('eth0');
const ipvs = link('kube-ipvs0', { index: 3, isNoArp: true });
const down = link('eth9', { index: 4, isUp: false });

for (const { family, vip, vip2, nodeIp, length } of familySamples) {
  test(`${family}: addresses of Services without our mark on links that reply are copies`, () => {
    const find = (...addresses: readonly ReturnType<typeof held>[]) =>
      findUnmarked({ addresses, links: [eth0, ipvs, down], routes: [] }, [service('web', [vip])]);
    assert.deepEqual(find(held(eth0, `${vip}/${length}`)), [{ ip: vip, link: 'eth0' }]);
    assert.deepEqual(find(ours(eth0, `${vip}/${length}`)), []);
    assert.deepEqual(find(held(eth0, `${nodeIp}/${length}`), held(eth0, `${vip2}/${length}`)), []);
    assert.deepEqual(find(held(ipvs, `${vip}/${length}`), held(down, `${vip}/${length}`)), []);
  });

  test(`${family}: what is not known of the kernel is no copy`, () => {
    const kernel = { addresses: undefined, links: undefined, routes: undefined };
    assert.deepEqual(findUnmarked(kernel, [service('web', [vip])]), []);
  });

  test(`${family}: members that live say what they have, the better in rank of several is to own it`, () => {
    const members = ['a', 'b', 'c'].map((node) => ({ ...member(node), unmarked: [vip] }));
    const liveness = new Map([
      ['a', 'alive'],
      ['b', 'alive'],
      ['c', 'expired'],
    ] as const);
    const copies = collectCopies('a', [], members, liveness);
    assert.deepEqual(copies, new Map([[vip, new Set(['b'])]]));
    const both = collectCopies('a', [{ ip: vip, link: 'eth0' }], members, liveness);
    assert.equal(findCopyOwner(vip, both), rankNodes(vip, ['a', 'b'])[0]);
    assert.equal(findCopyOwner(vip2, both), undefined);
  });

  test(`${family}: a copy serves in place of a local address of ours, not of a remote one`, () => {
    const wanted = { ...ours(eth0, `${vip}/${length}`), noDad: true };
    const serving = (kind: 'local' | 'remote') =>
      findServing([wanted], [{ outcome: { kind, wanted } }]);
    assert.deepEqual([serving('local'), serving('remote')], [[wanted], []]);
    assert.deepEqual(findServing([], []), []);
  });
}
