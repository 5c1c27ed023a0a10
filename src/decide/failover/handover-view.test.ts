import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Member } from '../../model/member.ts';
import { familySamples, member } from '../announcement/cluster.fixture.ts';
import type { Liveness } from '../announcement/judge-members.ts';
import { viewHandovers } from './handover-view.ts';

for (const { family, vip, vip2 } of familySamples) {
  const look = (members: readonly Member[], expired: readonly string[] = []) => {
    const liveness = new Map<string, Liveness>(
      members.map(({ node }) => [node, expired.includes(node) ? 'expired' : 'alive']),
    );
    return viewHandovers({ me: 'a', instance: 'a-1', members, liveness });
  };
  const handing = [
    { ip: vip, node: 'a' },
    { ip: vip2, node: 'c' },
  ];

  test(`${family}: what others hand to this node, and what it hands to others`, () => {
    const mine = member('a', { handing: [{ ip: vip2, node: 'b' }] });
    assert.deepEqual(look([mine, member('b', { handing }), member('c')]), {
      offered: new Map([[vip, 'b']]),
      named: new Map([[vip2, 'b']]),
      peers: new Set(['b', 'c']),
      isLeaseOurs: true,
    });
  });

  test(`${family}: a member whose Lease ended, or of another version, hands over nothing`, () => {
    const other = member('c', { handing, protocolVersion: 1 });
    const { offered, peers } = look([member('a'), member('b', { handing }), other], ['b']);
    assert.deepEqual([offered, peers], [new Map(), new Set()]);
  });
}

test('a Lease that a newer process writes is not ours, nor is one that is not there', () => {
  const members = [member('a', { instance: 'a-2' })];
  const facts = { me: 'a', instance: 'a-1', liveness: new Map() };
  assert.equal(viewHandovers({ ...facts, members }).isLeaseOurs, false);
  assert.equal(viewHandovers({ ...facts, members: [] }).isLeaseOurs, false);
});
