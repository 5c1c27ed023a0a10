import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ipOf } from '../../model/ip.ts';
import type { Claimant } from './claimant.ts';
import { Places } from './place.ts';
import { AddressUsers, scopedKeyOf } from './share-address.ts';
import { World } from './world.fixture.ts';

function claimant(name: string, key: string | undefined, ...ports: readonly string[]): Claimant {
  const annotations: Record<string, string> = key === undefined ? {} : { 'allow-shared-ip': key };
  const [service] = new World().service(name, { ports, annotations }).state().services;
  assert.ok(service !== undefined);
  return { service, fate: { kind: 'serve' }, held: [], rank: 0 };
}

const place = new Places(new World().state().pools).find(ipOf('192.0.2.1'));

/** Why the last may not join the others, in a word. */
function obstacle(...claimants: readonly [Claimant, ...Claimant[]]): string {
  const [first, ...others] = claimants.slice(0, -1);
  const users = new AddressUsers(place, first ?? claimants[0]);
  for (const other of others) users.join(other);
  const found = users.findObstacle((claimants.at(-1) ?? claimants[0]).service);
  return found === undefined ? 'none' : `${found.kind} ${found.reason}: ${found.message}`;
}

test('16.21: who may use an address beside others', () => {
  const a = claimant('a/1', 'k', 'TCP/80');
  assert.equal(obstacle(a, claimant('a/2', 'k', 'TCP/81')), 'none');
  assert.equal(obstacle(a, claimant('a/2', 'k', 'UDP/80')), 'none');
  assert.equal(
    obstacle(a, claimant('a/2', 'k', 'TCP/81', 'TCP/80')),
    'refuse port_conflict: port TCP/80 on "192.0.2.1" is already in use by a/1',
  );
  assert.equal(
    obstacle(a, claimant('a/2', 'l', 'TCP/81')),
    'refuse sharing_key_conflict: address 192.0.2.1 is in use by a/1, not under the sharing key "l"',
  );
  assert.equal(
    obstacle(a, claimant('a/2', undefined, 'TCP/81')),
    'refuse sharing_key_conflict: address 192.0.2.1 is in use by a/1',
  );
  const keyless = claimant('a/1', undefined, 'TCP/80');
  assert.match(obstacle(keyless, claimant('a/2', undefined)), /^refuse other: .* in use by a\/1$/);
  assert.match(obstacle(keyless, claimant('a/2', 'k')), /^refuse sharing_key_conflict/);
});

test('everyone on the address must share it, not only the first', () => {
  const users = [claimant('a/1', 'k', 'TCP/1'), claimant('a/2', 'l', 'TCP/2')] as const;
  assert.match(obstacle(...users, claimant('a/3', 'k', 'TCP/3')), /in use by a\/2, not under/);
});

test('whoever joins is counted from then on', () => {
  const users = new AddressUsers(place, claimant('a/1', 'k', 'TCP/1'));
  const second = claimant('a/2', 'k', 'TCP/2');
  assert.equal(users.findObstacle(second.service), undefined);
  users.join(second);
  const third = claimant('a/3', 'k', 'TCP/2').service;
  assert.match(users.findObstacle(third)?.message ?? '', /in use by a\/2$/);
});

test('whoever is about to go only puts others off', () => {
  const leaving: Claimant = {
    ...claimant('a/1', undefined),
    fate: { kind: 'release', cause: 'deleted' },
  };
  assert.match(obstacle(leaving, claimant('a/2', undefined)), /^pending/);
  assert.match(
    obstacle(leaving, claimant('a/2', undefined), claimant('a/3', undefined)),
    /^refuse .*a\/2/,
  );
});

test('a Service is no stranger to itself', () => {
  const own = claimant('a/1', undefined);
  assert.equal(obstacle(own, own), 'none');
});

test('a key counts in its namespace where the pool says so', () => {
  const pools = new World()
    .group('wide', ['192.0.2.0/30'])
    .group('narrow', {
      local: { v4pools: [{ pool: '192.0.2.8/30', subnet: '192.0.2.0/24' }] },
      sharingScope: 'Namespace',
    })
    .state().pools.byName;
  const keys = ['wide', 'narrow'].map((name) =>
    ['a/1', 'b/1'].map((key) => scopedKeyOf(claimant(key, 'k').service, pools.get(name))),
  );
  assert.equal(keys[0]?.[0], keys[0]?.[1]);
  assert.notEqual(keys[1]?.[0], keys[1]?.[1]);
  assert.equal(scopedKeyOf(claimant('a/1', undefined).service, pools.get('wide')), undefined);
});

test('whoever leaves is counted no more', () => {
  const [first, second] = [claimant('a/1', 'k', 'TCP/1'), claimant('a/2', 'l', 'TCP/2')];
  const users = new AddressUsers(place, first);
  users.join(second);
  const third = claimant('a/3', 'k', 'TCP/2').service;
  assert.match(users.findObstacle(third)?.message ?? '', /in use by a\/2, not under/);
  assert.equal(users.leave(second), false);
  assert.equal(users.findObstacle(third), undefined);
  assert.equal(users.leave(second), false, 'it was not there any more');
  assert.equal(users.leave(first), true);
});
