import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LoadBalancer } from '../../model/load-balancer.ts';
import type { Pool } from '../../model/pool.ts';
import type { AddressCase } from './address-decision.ts';
import { findTerms } from './announce-terms.ts';
import { group, localGroup, service, v4Range } from './pool.fixture.ts';
import { areEndpointsGone, findPreference, isServedHere, needsEndpoints } from './service-needs.ts';
import { snapshotOf } from './snapshot.fixture.ts';

const withdrawing = group('local', {
  withdrawWithoutEndpoints: true,
  local: { v4pools: [v4Range] },
});

function caseOf(services: readonly [LoadBalancer, ...LoadBalancer[]], pool: Pool): AddressCase {
  const [ip] = services[0].grant.ingress;
  if (ip === undefined) throw new TypeError('no address');
  const terms = findTerms({ pools: [pool], recorded: new Map() }, services[0].grant, ip);
  return { ip, services, terms, held: [], slot: undefined };
}

type Annotations = Readonly<Record<string, string>>;

const localPolicy = { externalTrafficPolicy: 'Local' };
const allowLocal: Annotations = { 'purelb.io/allow-local': '' };
const requiresB = { required: new Set(['b']), spare: new Set(['b']) };
const affinity: Annotations = { 'purelb.io/node-affinity': 'service-endpoints' };

function web(spec: object = {}, annotations: Annotations = {}, name = 'web'): LoadBalancer {
  return service(name, ['192.0.2.100'], { spec, annotations });
}

const onB = snapshotOf({ endpoints: { 'shop/web': 'b' } });
const onA = snapshotOf({ endpoints: { 'shop/web': 'a' } });
const nowhere = snapshotOf({ endpoints: {} });
const unknown = snapshotOf({ endpoints: null });

test('endpoints matter for Local, affinity, and groups that withdraw without them', () => {
  assert.equal(needsEndpoints(caseOf([web()], localGroup)), false);
  assert.equal(needsEndpoints(caseOf([web(localPolicy)], localGroup)), true);
  assert.equal(needsEndpoints(caseOf([web({}, affinity)], localGroup)), true);
  assert.equal(needsEndpoints(caseOf([web()], withdrawing)), true);
});

test('decision 25: an address stays without endpoints unless its group says otherwise', () => {
  assert.equal(areEndpointsGone(caseOf([web()], localGroup), nowhere), false);
  assert.equal(areEndpointsGone(caseOf([web()], withdrawing), nowhere), true);
  assert.equal(areEndpointsGone(caseOf([web()], withdrawing), onB), false);
  assert.equal(areEndpointsGone(caseOf([web()], withdrawing), unknown), undefined);
});

test('a shared address stays while one of its Services has endpoints', () => {
  const shared = caseOf([web({}, {}, 'api'), web()], withdrawing);
  assert.equal(areEndpointsGone(shared, onB), false);
  assert.equal(areEndpointsGone(shared, nowhere), true);
});

test('F4: affinity prefers the nodes with endpoints', () => {
  const address = caseOf([web({}, affinity)], localGroup);
  assert.deepEqual(findPreference(address, onB), { preferred: new Set(['b']) });
  assert.deepEqual(findPreference(address, nowhere), { preferred: new Set() });
  assert.equal(findPreference(address, unknown), undefined);
});

test('K4: Local with allow-local requires them', () => {
  const address = caseOf([web(localPolicy, allowLocal)], localGroup);
  assert.deepEqual(findPreference(address, onB), requiresB);
  assert.deepEqual(findPreference(address, nowhere), { required: new Set(), spare: new Set() });
});

test('Local requires them on every local address, whatever the group or an annotation says', () => {
  const preserving = { externalTrafficPolicy: 'Preserve', local: { v4pools: [v4Range] } };
  const remote = group('remote', { remote: { v4pools: [v4Range] } });
  for (const pool of [localGroup, group('local', preserving), remote]) {
    const address = caseOf([web(localPolicy)], pool);
    assert.deepEqual(findPreference(address, onB), requiresB);
    assert.equal(findPreference(address, unknown), undefined);
    assert.deepEqual(findPreference(caseOf([web()], pool), unknown), {}, 'Cluster needs none');
  }
});

test('Local with a sharing key requires them until another Service shares the address', () => {
  const sharing = { ...allowLocal, 'purelb.io/allow-shared-ip': 'key' };
  const alone = caseOf([web(localPolicy, sharing)], localGroup);
  assert.deepEqual(findPreference(alone, onB), requiresB);
  const both = caseOf([web(localPolicy, sharing), web(localPolicy, sharing, 'api')], localGroup);
  assert.deepEqual(findPreference(both, onB), {});
});

test('spec 13.7: a shared address, and one that may be shared, prefers nobody', () => {
  const sharing = { ...affinity, 'purelb.io/allow-shared-ip': 'key' };
  assert.deepEqual(findPreference(caseOf([web({}, sharing)], localGroup), onB), {});
  const both = caseOf([web({}, affinity), web({}, affinity, 'api')], localGroup);
  assert.deepEqual(findPreference(both, onB), {});
});

test('T7: a remote address with Local is served where an endpoint is', () => {
  const address = caseOf([web(localPolicy)], localGroup);
  assert.equal(isServedHere(address, onA), true);
  assert.equal(isServedHere(address, onB), false);
  assert.equal(isServedHere(address, nowhere), false);
  assert.equal(isServedHere(address, unknown), undefined);
});

test('T7: an endpoint of the other family serves nobody', () => {
  const address = caseOf([web(localPolicy)], localGroup);
  const v6Only = { 'shop/web ipv4': 'b', 'shop/web ipv6': 'a' };
  assert.equal(isServedHere(address, snapshotOf({ endpoints: v6Only })), false);
});

test('T7: with Cluster it is served everywhere, also if only one of its Services says so', () => {
  assert.equal(isServedHere(caseOf([web()], localGroup), unknown), true);
  const mixed = caseOf([web(localPolicy), web({}, {}, 'api')], localGroup);
  assert.equal(isServedHere(mixed, nowhere), true);
});
