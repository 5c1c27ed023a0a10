import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ipOf } from '../../model/ip.ts';
import { macOf } from '../../model/mac.ts';
import { identitiesOf, macOfNode } from '../announcement/wire.fixture.ts';
import { type OwnerNoticeFacts, planOwnerNotices } from './plan-owner-notices.ts';

const vip = ipOf('192.0.2.100');
const other = ipOf('2001:db8::100');
const stranger = macOf('02:00:5e:66:00:01');
const now = 10_000;

function plan(more: Partial<OwnerNoticeFacts> = {}) {
  const probes = new Map([[vip, new Map([[macOfNode('b'), now - 10]])]]);
  const identities = identitiesOf('a', 'b', 'c');
  const facts = { me: 'a', owned: new Set([vip]), probes, identities, noticedAt: new Map(), now };
  return planOwnerNotices({ ...facts, ...more }).map(({ ip, node }) => `${ip} ${node}`);
}

test('a member that probes for an address of this node is told by whom it is owned', () => {
  assert.deepEqual(plan(), [`${vip} b`]);
});

test('no notice is sent for addresses that this node does not own', () => {
  assert.deepEqual(plan({ owned: new Set([other]) }), []);
});

test('strangers and this node itself get no notice', () => {
  const macs = new Map([
    [stranger, now],
    [macOfNode('a'), now],
  ]);
  assert.deepEqual(plan({ probes: new Map([[vip, macs]]) }), []);
});

test('each probe gets one notice, and none long after it was sent', () => {
  const noticedAt = new Map([[`${vip} b`, now - 100]]);
  assert.deepEqual(plan({ noticedAt }), []);
  const old = new Map([[vip, new Map([[macOfNode('b'), now - 200]])]]);
  assert.deepEqual(plan({ probes: old }), []);
});
