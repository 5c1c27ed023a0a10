import assert from 'node:assert/strict';
import { test } from 'node:test';
import { read } from './cursor.ts';
import { isProblem, must } from './parsed.ts';
import { readActions } from './read-bgp-actions.ts';

const act = (actions: object) => read({ routeAction: 'accept', ...actions }, readActions);

const plain = {
  route: 'accept',
  community: undefined,
  extCommunity: undefined,
  largeCommunity: undefined,
  med: undefined,
  asPrepend: undefined,
  localPreference: undefined,
  nextHop: undefined,
  origin: undefined,
};

test('a route is accepted or rejected and otherwise left alone', () => {
  assert.deepEqual(must(act({})), plain);
  assert.deepEqual(must(act({ routeAction: 'reject' })), { ...plain, route: 'reject' });
});

test('every change can be asked for', () => {
  const actions = {
    community: { type: 'replace', communities: ['64500:1', 'no-export'] },
    extCommunity: { communities: ['rt:64500:1'] },
    largeCommunity: { type: 'remove', communities: ['64500:1:2'] },
    med: { type: 'mod', value: -10 },
    asPrepend: { asn: 0, repeat: 3 },
    localPref: 200,
    nexthop: { self: true, unchanged: false },
    origin: 'incomplete',
  };
  assert.deepEqual(must(act(actions)), {
    route: 'accept',
    community: { how: 'replace', communities: ['64500:1', 'no-export'] },
    extCommunity: { how: 'add', communities: ['rt:64500:1'] },
    largeCommunity: { how: 'remove', communities: ['64500:1:2'] },
    med: { how: 'mod', value: -10 },
    asPrepend: { asn: undefined, repeat: 3 },
    localPreference: 200,
    nextHop: 'self',
    origin: 'incomplete',
  });
  assert.equal(must(act({ nexthop: { address: '192.0.2.1' } })).nextHop, '192.0.2.1');
});

test('what makes no sense is refused', () => {
  for (const actions of [
    { routeAction: 'drop' },
    { community: { communities: ['x'] } },
    { med: { value: -1 } },
    { med: {} },
    { nexthop: { self: true, address: '192.0.2.1' } },
  ]) {
    assert.ok(isProblem(act(actions)), JSON.stringify(actions));
  }
});
