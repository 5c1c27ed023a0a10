import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gracefulShutdown, plainRoute } from '../../model/bgp-path.ts';
import { ipOf } from '../../model/ip.ts';
import { prefixOf } from '../../model/prefix.ts';
import { newDaemon, peerKey, type SpeakerChange, type SpeakerState } from '../../model/speaker.ts';
import { router, wishOf } from './advertisement.fixture.ts';
import { groupKey, planSilence, planSpeaker, type SpeakerFacts } from './plan-speaker.ts';

const path = (text: string, communities: readonly string[] = []) => ({
  ...plainRoute,
  prefix: prefixOf(text),
  nextHop: ipOf('0.0.0.0'),
  communities,
});
const spec = { neighbors: [router()] };
const wish = wishOf(spec, { paths: [path('203.0.113.7/32')] });

/** What the daemon would say after it took the wish, and what we would remember. */
function settled(of = wish): Pick<SpeakerFacts, 'state' | 'applied'> {
  const { asn, routerId, listenPort } = of.identity;
  const state: SpeakerState = {
    identity: { asn, routerId, listenPort },
    peers: of.peers.map((each) => ({
      peer: each.peer,
      address: each.peer.kind === 'address' ? each.peer.address : '',
      group: '',
      description: each.description,
      peerAsn: each.peerAsn,
      localAsn: asn,
      isDown: each.isDown,
      state: 'Established',
      upSince: 1,
      routerId: '198.51.100.1',
      received: 0,
      accepted: 0,
      advertised: 1,
      families: [],
      lastError: '',
      bfd: undefined,
    })),
    groups: of.groups.map(({ name }) => name),
    dynamicPrefixes: of.groups.flatMap(({ name, prefixes }) =>
      prefixes.map((prefix) => ({ prefix, group: name })),
    ),
    policies: {
      names: [of.policies.import.name, of.policies.export.name],
      sets: of.policies.sets.map(({ type, name }) => ({ type, name })),
      import: { policies: [of.policies.import.name], defaultAction: 'reject' },
      export: { policies: [of.policies.export.name], defaultAction: 'accept' },
    },
    paths: of.paths,
  };
  const applied = new Map([
    ...of.peers.map((each) => [peerKey(each.peer), each.fingerprint] as const),
    ...of.groups.map((each) => [groupKey(each.name), each.fingerprint] as const),
  ]);
  return { state, applied };
}

const plan = (facts: Partial<SpeakerFacts>) =>
  planSpeaker({ wish, ...settled(), held: [], ...facts });
const kinds = (changes: readonly SpeakerChange[]) => changes.map(({ kind }) => kind);

test('a new daemon: started, policies, routes, and only then neighbours', () => {
  const { changes } = plan({ state: newDaemon, applied: new Map() });
  assert.deepEqual(kinds(changes), ['start', 'set-policies', 'set-paths', 'add-peer']);
  const last = changes.at(-1);
  assert.ok(last?.kind === 'add-peer' && last.isRestarting);
});

test('what is as it should be is left alone', () => {
  assert.deepEqual(plan({}), { changes: [], needsRestart: [] });
});

test('routes are added before others are withdrawn, in one change', () => {
  const paths = [path('203.0.113.8/32')];
  assert.deepEqual(plan({ wish: { ...wish, paths } }).changes, [
    { kind: 'set-paths', add: paths, withdraw: wish.paths },
  ]);
});

test('a route with another community replaces the one before, without a gap', () => {
  const paths = [path('203.0.113.7/32', [gracefulShutdown])];
  assert.deepEqual(plan({ wish: { ...wish, paths } }).changes, [
    { kind: 'set-paths', add: paths, withdraw: [] },
  ]);
});

test('a neighbour with other settings is updated; its session is reset only for other timers', () => {
  const described = wishOf(
    { neighbors: [router({ description: 'rack a' })] },
    { paths: wish.paths },
  );
  assert.deepEqual(kinds(plan({ wish: described }).changes), ['update-peer']);
  const timers = { config: { holdTime: 9 } };
  const retimed = wishOf({ neighbors: [router({}, { timers })] }, { paths: wish.paths });
  assert.deepEqual(kinds(plan({ wish: retimed }).changes), ['update-peer', 'reset-peer']);
});

test('a neighbour that is named by its link is looked for anew while it does not answer', () => {
  const spoken = { neighborAddress: undefined, neighborInterface: 'eth0' };
  const byLink = wishOf({ neighbors: [router(spoken)] }, { paths: wish.paths });
  const { state, applied } = settled(byLink);
  const [peer] = state.peers;
  if (peer === undefined) throw new Error('no neighbour');
  const planFor = (more: object) => {
    const peers = [{ ...peer, address: 'fe80::1%eth0', ...more }];
    return plan({ wish: byLink, applied, state: { ...state, peers } }).changes;
  };
  assert.deepEqual(planFor({}), []);
  const update = { kind: 'update-peer', peer: byLink.peers[0], address: 'fe80::1%eth0' };
  assert.deepEqual(planFor({ state: 'Active' }), [update]);
  const silence = planSilence({
    ...state,
    paths: [],
    peers: [{ ...peer, address: 'fe80::1%eth0' }],
  });
  assert.deepEqual(silence, [{ kind: 'remove-peer', peer: peer.peer, address: 'fe80::1%eth0' }]);
});

test('after our own restart neighbours are set once more, and never reset', () => {
  assert.deepEqual(kinds(plan({ applied: new Map() }).changes), ['update-peer']);
});

test('what someone else did to the daemon is put right', () => {
  const { state } = settled();
  const [peer] = state.peers;
  if (peer === undefined) throw new Error('no neighbour');
  const shut = { ...state, peers: [{ ...peer, isDown: true }] };
  assert.deepEqual(kinds(plan({ state: shut }).changes), ['update-peer']);
  const foreign = { ...peer, peer: { kind: 'address', address: '198.51.100.9' } as const };
  const more = { ...state, peers: [peer, { ...foreign, address: '198.51.100.9' }] };
  assert.deepEqual(plan({ state: more }).changes, [
    { kind: 'remove-peer', peer: foreign.peer, address: '198.51.100.9' },
  ]);
  const open = { policies: [], defaultAction: 'accept' } as const;
  const unguarded = { ...state, policies: { ...state.policies, import: open } };
  assert.deepEqual(kinds(plan({ state: unguarded }).changes), ['set-policies']);
});

test('other policies come before everything, old ones of ours go last', () => {
  const { state } = settled();
  const names = [...state.policies.names, 'purelb-export-old', 'somebody-elses'];
  const sets = [{ type: 'prefix', name: 'purelb-old' } as const];
  const old = { ...state, policies: { ...state.policies, names, sets } };
  assert.deepEqual(plan({ state: old, wish: { ...wish, peers: [] } }).changes, [
    {
      kind: 'remove-peer',
      peer: { kind: 'address', address: '198.51.100.1' },
      address: '198.51.100.1',
    },
    { kind: 'remove-policies', names: ['purelb-export-old'], sets },
  ]);
});

test('a session that waits for its Secret is neither added nor removed', () => {
  const held = [{ kind: 'address', address: '198.51.100.1' } as const];
  assert.deepEqual(plan({ wish: { ...wish, peers: [] }, held }).changes, []);
});

test('another AS number, router ID or port needs another process of the daemon', () => {
  const identity = { asn: 64_999, routerId: '198.51.100.99', listenPort: 1790 };
  const state = { ...settled().state, identity };
  assert.deepEqual(plan({ state }).needsRestart, ['asn', 'routerID', 'listenPort']);
});

const dynamic = {
  peerGroups: [{ config: { peerGroupName: 'tor', peerAsn: 64_501 } }],
  dynamicNeighbors: [{ prefix: '198.51.100.0/24', peerGroup: 'tor' }],
};

test('routers that connected by themselves stay as long as their network is listed', () => {
  const grouped = wishOf(dynamic);
  const { state } = settled();
  const base = { ...settled(grouped), wish: grouped };
  const connected = { ...base.state, peers: state.peers };
  assert.deepEqual(plan({ ...base, state: connected }).changes, []);
  const none = wishOf({});
  assert.deepEqual(kinds(plan({ ...base, state: connected, wish: none }).changes), [
    'remove-dynamic',
    'remove-group',
    'remove-peer',
  ]);
});

test('groups come before the networks that name them', () => {
  const grouped = wishOf(dynamic);
  const before = settled(wishOf({}));
  assert.deepEqual(kinds(plan({ wish: grouped, ...before }).changes), ['add-group', 'add-dynamic']);
});

test('without a configuration everything is withdrawn first, then neighbours go', () => {
  assert.deepEqual(kinds(planSilence(settled().state)), ['set-paths', 'remove-peer']);
  assert.deepEqual(planSilence(newDaemon), []);
});
