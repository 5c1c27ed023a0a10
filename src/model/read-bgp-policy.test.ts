import assert from 'node:assert/strict';
import { test } from 'node:test';
import { read } from './cursor.ts';
import { isProblem, must } from './parsed.ts';
import { readBgpPolicy } from './read-bgp-policy.ts';

const readConditions = (conditions: unknown) =>
  read(
    { name: 'p', statements: [{ name: 's', conditions, actions: { routeAction: 'accept' } }] },
    readBgpPolicy,
  );

const none = {
  sets: [],
  asPathLength: undefined,
  communityCount: undefined,
  routeType: undefined,
  origin: undefined,
  nextHops: [],
  families: [],
  localPreference: undefined,
  med: undefined,
};

test('a statement without conditions is for every route', () => {
  const { name, statements } = must(readConditions(undefined));
  assert.equal(name, 'p');
  assert.deepEqual(statements[0]?.conditions, none);
  assert.equal(statements[0]?.actions.route, 'accept');
});

test('every condition can be given', () => {
  const conditions = {
    prefixSet: { name: 'a', match: 'invert' },
    neighborSet: { name: 'b' },
    largeCommunitySet: { name: 'c', match: 'all' },
    rpkiResult: '',
    asPathLength: { operator: 'le', length: 4 },
    communityCount: { operator: 'ge', count: 1 },
    routeType: 'local',
    origin: 'igp',
    nextHopInList: ['192.0.2.1', '2001:db8::/64'],
    afiSafiIn: ['ipv6-unicast'],
    localPrefEq: 100,
    medEq: 0,
  };
  assert.deepEqual(must(readConditions(conditions)).statements[0]?.conditions, {
    sets: [
      { type: 'prefix', name: 'a', match: 'invert' },
      { type: 'neighbor', name: 'b', match: 'any' },
      { type: 'large-community', name: 'c', match: 'all' },
    ],
    asPathLength: { operator: 'le', number: 4 },
    communityCount: { operator: 'ge', number: 1 },
    routeType: 'local',
    origin: 'igp',
    nextHops: ['192.0.2.1', '2001:db8::/64'],
    families: ['ipv6-unicast'],
    localPreference: 100,
    med: 0,
  });
});

test('what makes no sense is refused', () => {
  for (const conditions of [
    { prefixSet: {} },
    { prefixSet: { name: 'a', match: 'none' } },
    { rpkiResult: 'invalid' },
    { asPathLength: { operator: '<', length: 1 } },
    { nextHopInList: ['router'] },
    { afiSafiIn: ['ipv4-vpn'] },
  ]) {
    assert.ok(isProblem(readConditions(conditions)), JSON.stringify(conditions));
  }
  assert.ok(isProblem(read({ name: 'p', statements: [{}] }, readBgpPolicy)));
});
