import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bgpConfig, router } from './advertisement.fixture.ts';
import { inheritSession } from './inherit-session.ts';

function inherit(config: object, group: object, more: object = {}) {
  const { config: groupConfig = {}, ...blocks } = group as { config?: object };
  const peerGroups = [{ config: { peerGroupName: 'tor', ...groupConfig }, ...blocks }];
  const parsed = bgpConfig({
    neighbors: [router({ peerGroup: 'tor', ...config }, more)],
    peerGroups,
  });
  const [own] = parsed.neighbors;
  if (own === undefined) throw new Error('no neighbour');
  return inheritSession(own, parsed.peerGroups[0]);
}

test('a neighbour without a group is as it stands', () => {
  const [own] = bgpConfig({ neighbors: [router()] }).neighbors;
  if (own === undefined) throw new Error('no neighbour');
  assert.deepEqual(inheritSession(own, undefined), {
    session: own,
    inherited: [],
    isOverridden: false,
  });
});

test('what it does not state comes from its group, block by block', () => {
  const timers = { config: { holdTime: 9 } };
  const { session, inherited } = inherit({}, { timers, bfd: {}, config: { description: 'rack' } });
  assert.equal(session.timers?.holdTime, 9);
  assert.equal(session.bfd?.isEnabled, true);
  assert.deepEqual(inherited, ['description', 'timers', 'bfd']);
});

test('a block that it states is all its own, and BFD can be opted out of', () => {
  const own = { timers: { config: { keepaliveInterval: 5 } }, bfd: { enabled: false } };
  const { session, inherited } = inherit({}, { timers: { config: { holdTime: 9 } }, bfd: {} }, own);
  assert.deepEqual([session.timers?.holdTime, session.bfd?.isEnabled], [undefined, false]);
  assert.deepEqual(inherited, []);
});

test('the AS number of the group counts, and it is told when the neighbour has another', () => {
  const taken = inherit({ peerAsn: 64_501 }, { config: { peerAsn: 64_502 } });
  assert.deepEqual([taken.session.peerAsn, taken.isOverridden], [64_502, true]);
  const same = inherit({ peerAsn: 64_502 }, { config: { peerAsn: 64_502 } });
  assert.deepEqual([same.inherited, same.isOverridden], [[], false]);
});

test('whoever states one option about AS paths states them all', () => {
  const group = { config: { allowOwnAsn: 3, replacePeerAsn: true } };
  const stated = inherit({ allowAspathLoopLocal: true }, group).session;
  assert.deepEqual([stated.allowOwnAsn, stated.replacePeerAsn], [undefined, undefined]);
  const silent = inherit({}, group).session;
  assert.deepEqual([silent.allowOwnAsn, silent.replacePeerAsn], [3, true]);
});
