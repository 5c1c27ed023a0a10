import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Ip, ipOf } from '../../model/ip.ts';
import { prefixOf } from '../../model/prefix.ts';
import { findSlotUse, type LeavingSlot, type SlotWorld } from './slot-use.ts';
import { World } from './world.fixture.ts';

const share = { annotations: { 'service-group': 'ext', 'allow-shared-ip': 'k' } };
const ip = ipOf('203.0.113.7');

/** `a/1` holds an address; `a/2` has the same sharing key and holds none. */
function findUse(slot: Partial<LeavingSlot>, more: Partial<SlotWorld> = {}) {
  const world = new World()
    .group('ext', { external: { provider: 'acme', announce: 'remote' } })
    .service('a/1', share);
  world.answers.set('a/1', { pool: 'ext', addresses: [prefixOf(`${ip}/24`)], failures: [] });
  world.settle().service('a/2', share).answers.clear();
  const { services, pools } = world.state();
  const pool = pools.byName.get('ext');
  assert.ok(pool !== undefined);
  const nothing: SlotWorld = { services, answers: new Map(), underWay: () => [], ...more };
  return findSlotUse({ pool, owner: 'share::k', family: 'ipv4', ...slot }, nothing);
}

const first = 'uid-2';
const second = 'uid-3';

test('a slot is used by whoever holds an address of its family, unless it is the one that leaves', () => {
  assert.equal(findUse({ leaving: second }), 'others');
  assert.equal(findUse({}), 'others', 'nobody leaves');
  assert.equal(findUse({ leaving: first }), undefined);
  assert.equal(findUse({ leaving: second, family: 'ipv6' }), undefined);
  assert.equal(findUse({ leaving: second, owner: 'share::other' }), undefined);
});

test('a Service does not give back the very address that it holds', () => {
  assert.equal(findUse({ leaving: first, address: ip }), 'own');
  assert.equal(findUse({ leaving: first, address: ipOf('203.0.113.8') }), undefined);
});

test('an answer that no plan has used yet, and a write under way, keep the slot', () => {
  const answer = { pool: 'ext', addresses: [prefixOf('203.0.113.9/24')], failures: [] };
  const answers = new Map([['a/2', answer]]);
  assert.equal(findUse({ leaving: first }, { answers }), 'others');
  assert.equal(findUse({ leaving: second, family: 'ipv6' }, { answers }), undefined);
  const underWay = (key: string): readonly Ip[] => (key === 'a/1' ? [ip] : []);
  assert.equal(findUse({ leaving: first }, { underWay }), 'own');
});
