import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Ip, ipFromBigInt, ipOf, ipToBigInt } from '../../model/ip.ts';
import type { QuarantinedAddress } from '../../model/pool.ts';
import { Places } from './place.ts';
import { planQuarantine, type QuarantineInput } from './plan-quarantine.ts';
import { ranges } from './raw-objects.fixture.ts';
import { World } from './world.fixture.ts';

const now = 1_000_000_500;

function input(local: object = {}, more: Partial<QuarantineInput> = {}): QuarantineInput {
  const world = new World().group('x', { local: { ...ranges('192.0.2.0/24'), ...local } });
  const [pool] = world.state().pools.pools;
  assert.ok(pool !== undefined);
  return {
    pool,
    present: [],
    reported: [],
    departures: [],
    isHeld: () => false,
    lostHolders: new Map(),
    now,
    ...more,
  };
}

function entry(
  ip: string,
  reason: QuarantinedAddress['reason'],
  until = now + 1,
): QuarantinedAddress {
  return { ip: ipOf(ip), reason, until, mac: undefined, node: undefined, service: undefined };
}

function departure(ip: string) {
  const world = new World().group('x', ['192.0.2.0/24']).service('a/1', {
    annotations: { 'announcing-IPv4': `node1,eth0,${ip}` },
    ingress: [{ ip }],
  });
  const state = world.state();
  const [service] = state.services;
  assert.ok(service !== undefined);
  return { service, place: new Places(state.pools).find(ipOf(ip)), isReleased: true };
}

const brief = (entries: readonly QuarantinedAddress[]) =>
  entries.map(({ ip, reason, until, node, service }) =>
    [ip, reason, until - now, node ?? service].filter((part) => part !== undefined).join(' '),
  );

test('an address that is given up leaves no trace unless the group asks for one', () => {
  const departures = [departure('192.0.2.7')];
  assert.deepEqual(brief(planQuarantine(input({}, { departures }))), []);
  assert.deepEqual(brief(planQuarantine(input({ releaseCooldown: '10s' }, { departures }))), [
    '192.0.2.7 Cooldown 10500',
  ]);
  const both = { releaseCooldown: '60s', reserveFor: '10s' };
  assert.deepEqual(brief(planQuarantine(input(both, { departures }))), [
    '192.0.2.7 Reserved 60500 a/1',
  ]);
});

test('only who may come back under its name has an address kept for it', () => {
  const departures = [{ ...departure('192.0.2.7'), isReleased: false }];
  const both = { releaseCooldown: '60s', reserveFor: '1h' };
  assert.deepEqual(brief(planQuarantine(input(both, { departures }))), [
    '192.0.2.7 Cooldown 60500',
  ]);
});

test('where the holder is lost, its kernel may answer for as long as is known', () => {
  const more = {
    departures: [departure('192.0.2.7')],
    lostHolders: new Map([['node1', now + 2000]]),
  };
  assert.deepEqual(brief(planQuarantine(input({ releaseCooldown: '60s' }, more))), [
    '192.0.2.7 HolderLost 2500 node1',
  ]);
  const over = { ...more, lostHolders: new Map([['node1', now]]) };
  assert.deepEqual(brief(planQuarantine(input({}, over))), []);
});

test('what is over is forgotten, and so is a cool-down or reservation of what is held', () => {
  const present = [
    entry('192.0.2.1', 'Cooldown', now),
    entry('192.0.2.2', 'Cooldown'),
    entry('192.0.2.3', 'Reserved'),
    entry('192.0.2.4', 'HolderLost'),
    entry('192.0.2.5', 'Conflict'),
  ];
  const isHeld = (ip: Ip) => ip !== ipOf('192.0.2.2');
  assert.deepEqual(brief(planQuarantine(input({}, { present, isHeld }))), [
    '192.0.2.2 Cooldown 1',
    '192.0.2.4 HolderLost 1',
    '192.0.2.5 Conflict 1',
  ]);
});

test('an address has one entry: the gravest, then the longest; in the order of addresses', () => {
  const present = [
    entry('192.0.2.9', 'Cooldown', now + 9),
    entry('192.0.2.10', 'Conflict', now + 1),
  ];
  const reported = [
    entry('192.0.2.9', 'Conflict', now + 2),
    entry('192.0.2.10', 'Conflict', now + 3),
  ];
  assert.deepEqual(brief(planQuarantine(input({}, { present, reported }))), [
    '192.0.2.9 Conflict 2',
    '192.0.2.10 Conflict 3',
  ]);
});

test('the list is no longer than an object may be, and what matters most stays', () => {
  const first = ipToBigInt(ipOf('10.0.0.0'));
  const many = Array.from({ length: 5000 }, (_, index) =>
    entry(ipFromBigInt('ipv4', first + BigInt(index)), index < 4900 ? 'Cooldown' : 'Conflict'),
  );
  const kept = planQuarantine(input({}, { present: many }));
  assert.equal(kept.length, 1500);
  assert.equal(kept.filter(({ reason }) => reason === 'Conflict').length, 100);
});

test('planning again from what was planned says the same', () => {
  const departures = [departure('192.0.2.7')];
  const first = planQuarantine(input({ reserveFor: '10s' }, { departures }));
  assert.deepEqual(planQuarantine(input({ reserveFor: '10s' }, { present: first })), first);
});
