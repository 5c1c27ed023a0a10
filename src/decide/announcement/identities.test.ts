import assert from 'node:assert/strict';
import { test } from 'node:test';
import { macOf } from '../../model/mac.ts';
import type { MemberLink } from '../../model/member.ts';
import { member } from './cluster.fixture.ts';
import { collectIdentities, identitiesOf, macsOf, remember } from './identities.ts';

const mac = (last: number) => macOf(`02:00:5e:10:00:0${last}`);

function linkWith(...lasts: readonly number[]): MemberLink {
  return { name: 'eth0', macs: lasts.map(mac), addresses: [], gateways: [] };
}

test('a MAC belongs to the member whose Lease names it', () => {
  const members = [member('b', { links: [linkWith(2, 3)] }), member('c', { links: [linkWith(4)] })];
  const identities = collectIdentities('a', [linkWith(1)], members);
  assert.deepEqual(
    [1, 2, 3, 4, 5].map((last) => identities.get(mac(last))),
    ['a', 'b', 'b', 'c', undefined],
  );
  assert.deepEqual(macsOf(identities, 'b').toSorted(), [mac(2), mac(3)]);
  assert.deepEqual(macsOf(identities, 'z'), []);
});

test('a MAC that several name is this node’s, else the first’s by name', () => {
  const members = ['d', 'b', 'c'].map((node) => member(node, { links: [linkWith(1, 2)] }));
  const identities = collectIdentities('c', [linkWith(1)], [...members, member('a')]);
  assert.deepEqual([identities.get(mac(1)), identities.get(mac(2))], ['c', 'c']);
  assert.equal(collectIdentities('a', [], members).get(mac(2)), 'b');
});

test('a MAC stays a member’s though its Lease no longer names it, until it is another’s or an hour has passed', () => {
  const before = collectIdentities('a', [], [member('b', { links: [linkWith(2, 3)] })]);
  const known = remember(before, undefined, 1000);
  const after = collectIdentities('a', [], [member('b'), member('c', { links: [linkWith(3)] })]);
  const nodesAt = (now: number) => {
    const identities = identitiesOf(remember(after, known, now));
    return [2, 3].map((last) => identities.get(mac(last)));
  };
  assert.deepEqual(nodesAt(2000), ['b', 'c']);
  assert.deepEqual(nodesAt(1000 + 3_600_000), [undefined, 'c']);
});
