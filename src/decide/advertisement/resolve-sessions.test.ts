import assert from 'node:assert/strict';
import { test } from 'node:test';
import { peerKey } from '../../model/speaker.ts';
import { router, sessionsOf } from './advertisement.fixture.ts';

const rack = (name: string) => ({ nodeSelector: { matchLabels: { rack: name } } });
const keys = (found: ReturnType<typeof sessionsOf>) =>
  found.peers.map(({ wish }) => peerKey(wish.peer));
const tor = { config: { peerGroupName: 'tor', peerAsn: 64_501 } };

test('a node has the neighbours that select it', () => {
  const neighbors = [
    router({}, rack('a')),
    router({ neighborAddress: '198.51.100.2' }, rack('b')),
    router({ neighborAddress: '2001:db8::1' }),
  ];
  const found = sessionsOf({ neighbors }, { labels: new Map([['rack', 'b']]) });
  assert.deepEqual(keys(found), ['198.51.100.2', '2001:db8::1']);
  assert.deepEqual(found.notes, []);
});

test('a node that no neighbour selects is told of', () => {
  const found = sessionsOf({ neighbors: [router({}, rack('a'))] });
  assert.deepEqual(
    [keys(found), found.notes.map(({ reason }) => reason)],
    [[], ['NoMatchingNeighbors']],
  );
});

test('a neighbour whose group is not on this node is left out and told of', () => {
  const neighbors = [router({ peerGroup: 'tor' })];
  const found = sessionsOf({ neighbors, peerGroups: [{ ...tor, ...rack('a') }] });
  assert.deepEqual(
    [keys(found), found.notes],
    [
      [],
      [
        {
          reason: 'PeerGroupMissing',
          message: 'neighbour 198.51.100.1: peer group tor is not on this node',
        },
      ],
    ],
  );
});

test('families, timers and graceful restart have the defaults of the speaker', () => {
  const gracefulRestart = { enabled: true, restartTime: 20 };
  const [peer] = sessionsOf({
    global: { asn: 64_500, families: ['ipv4-unicast'], gracefulRestart },
    neighbors: [router()],
  }).peers;
  assert.deepEqual(
    [peer?.wish.families.map(({ family }) => family), peer?.wish.gracefulRestart?.restartSeconds],
    [['ipv4-unicast'], 20],
  );
});

test('names: an address, one with its zone, a link', () => {
  const neighbors = [
    router(),
    router({ neighborAddress: 'fe80::1%eth1' }),
    router({ neighborAddress: undefined, neighborInterface: 'eth2' }),
  ];
  assert.deepEqual(keys(sessionsOf({ neighbors })), ['198.51.100.1', 'fe80::1%eth1', 'iface:eth2']);
});

const secured = router({ authPasswordSecretRef: { name: 'bgp', key: 'md5' } });

test('a password comes from its Secret, and another one is another session', () => {
  const withPassword = (text: string) =>
    sessionsOf({ neighbors: [secured] }, { secret: () => ({ kind: 'found', text }) }).peers[0]
      ?.wish;
  assert.equal(withPassword('first')?.password, 'first');
  assert.notEqual(withPassword('first')?.fingerprint, withPassword('second')?.fingerprint);
  assert.equal(withPassword('first')?.fingerprint.includes('first'), false);
});

test('without its Secret a neighbour is neither set up nor taken down', () => {
  for (const kind of ['absent', 'unknown'] as const) {
    const secret = () => ({ kind, words: 'no Secret bgp' });
    const found = sessionsOf({ neighbors: [secured] }, { secret });
    assert.deepEqual(found.held, [{ kind: 'address', address: '198.51.100.1' }]);
    assert.deepEqual(
      [keys(found), found.notes],
      [[], [{ reason: 'PeerNotConfigured', message: 'neighbour 198.51.100.1: no Secret bgp' }]],
    );
  }
});

test('an optional Secret that is absent means no password, one that is unknown means waiting', () => {
  const neighbors = [
    router({ authPasswordSecretRef: { name: 'bgp', key: 'md5', optional: true } }),
  ];
  const found = sessionsOf({ neighbors });
  assert.equal(found.peers[0]?.wish.password, undefined);
  const secret = () => ({ kind: 'unknown', words: 'not read yet' }) as const;
  assert.equal(sessionsOf({ neighbors }, { secret }).held.length, 1);
});

test('other timers show in the first part of the fingerprint, other settings do not', () => {
  const print = (more: object, config: object = {}) =>
    sessionsOf({ neighbors: [router(config, more)] }).peers[0]?.wish.fingerprint.split('-') ?? [];
  const before = print({});
  const described = print({}, { description: 'rack a' });
  const retimed = print({ timers: { config: { holdTime: 9 } } });
  assert.deepEqual([described[0] === before[0], described[1] === before[1]], [true, false]);
  assert.notEqual(retimed[0], before[0]);
});

test('the AS number of a group wins, with a note', () => {
  const found = sessionsOf({
    neighbors: [router({ peerGroup: 'tor', peerAsn: 64_999 })],
    peerGroups: [tor],
  });
  assert.equal(found.peers[0]?.wish.peerAsn, 64_501);
  assert.deepEqual(
    found.notes.map(({ reason }) => reason),
    ['PeerAsnOverridden'],
  );
});

test('an unnumbered neighbour with policies of its own is refused', () => {
  const policyDefinitions = [{ name: 'all', statements: [] }];
  const neighbor = router(
    { neighborAddress: undefined, neighborInterface: 'eth2' },
    { applyPolicy: { exportPolicy: { policies: ['all'] } } },
  );
  const found = sessionsOf({ policyDefinitions, neighbors: [neighbor] });
  assert.deepEqual(
    [keys(found), found.notes.map(({ reason }) => reason)],
    [[], ['PeerNotConfigured']],
  );
});

test('dynamic neighbours are groups with the networks they come from', () => {
  const dynamicNeighbors = ['198.51.100.0/24', '2001:db8::/64'].map((prefix) => {
    return { prefix, peerGroup: 'tor' };
  });
  const [group] = sessionsOf({ peerGroups: [tor], dynamicNeighbors }).groups;
  assert.deepEqual(
    [group?.wish.name, group?.wish.prefixes, group?.wish.peerAsn],
    ['tor', ['198.51.100.0/24', '2001:db8::/64'], 64_501],
  );
  const without = sessionsOf({
    peerGroups: [{ config: { peerGroupName: 'tor' } }],
    dynamicNeighbors,
  });
  assert.deepEqual(without.notes, [
    {
      reason: 'PeerGroupMissing',
      message: 'dynamic neighbours of peer group tor: the group has no AS number',
    },
  ]);
});
