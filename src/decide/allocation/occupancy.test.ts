import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Ip, ipOf, ipToBigInt } from '../../model/ip.ts';
import type { Claimant } from './claimant.ts';
import { compareRight, findClaimant } from './find-claimant.ts';
import { Occupancy } from './occupancy.ts';
import { Places } from './place.ts';
import { World } from './world.fixture.ts';

/** The occupancy of a world, seated, and its claimants by key. */
function open(world: World, quarantine = new Map()) {
  const { services, settings, pools, now } = world.state();
  const occupancy = new Occupancy(new Places(pools));
  occupancy.begin(quarantine, now);
  const claimants = services
    .map((service) => findClaimant(service, settings, occupancy.places))
    .sort(compareRight);
  for (const claimant of claimants) occupancy.seat(claimant);
  const claimant = (key: string): Claimant => {
    const found = claimants.find(({ service }) => service.key === key);
    assert.ok(found !== undefined);
    return found;
  };
  return { occupancy, claimant, place: (text: string) => occupancy.places.find(ipOf(text)) };
}

const held = (ip: string, key?: string) => ({
  annotations: { 'allocated-by': 'PureLB', ...(key && { 'allow-shared-ip': key }) },
  ingress: [{ ip }],
});

test('who is on an address is what the Services say, whoever they belong to', () => {
  const world = new World()
    .group('default', ['192.0.2.0/28'])
    .service('a/1', held('192.0.2.1'))
    .service('a/2', { class: 'example.com/lb', ingress: [{ ip: '192.0.2.2' }] })
    .service('a/3');
  const { occupancy, claimant, place } = open(world);
  const users = (text: string) => occupancy.usersOf(ipOf(text)).map(({ service }) => service.key);
  assert.deepEqual(
    [users('192.0.2.1'), users('192.0.2.2'), users('192.0.2.3')],
    [['a/1'], ['a/2'], []],
  );
  occupancy.take(claimant('a/3'), place('192.0.2.3'));
  assert.deepEqual(users('192.0.2.3'), ['a/3']);
  assert.equal(place('192.0.2.3').use?.inUse, 3);
});

test('a key is bound by the first, followed by others, and moved only by one who is alone', () => {
  const world = new World()
    .group('default', ['192.0.2.0/28'])
    .service('a/1', held('192.0.2.1', 'k'))
    .service('a/2', held('192.0.2.2', 'k'))
    .service('a/3', held('192.0.2.3'));
  const { occupancy, claimant, place } = open(world);
  const pool = place('192.0.2.1').pool;
  const bound = (key: string): Ip | undefined => occupancy.boundTo(claimant(key), pool, 'ipv4');
  occupancy.bind(claimant('a/1'), place('192.0.2.1'));
  occupancy.bind(claimant('a/2'), place('192.0.2.2'));
  assert.deepEqual(['a/1', 'a/2', 'a/3'].map(bound), [undefined, '192.0.2.1', undefined]);
  occupancy.take(claimant('a/1'), place('192.0.2.5'));
  assert.equal(bound('a/2'), '192.0.2.5');
  occupancy.take(claimant('a/2'), place('192.0.2.5'));
  assert.equal(bound('a/1'), '192.0.2.5', 'now it is shared');
});

test('of two on one address the later is at fault', () => {
  const world = new World()
    .group('default', ['192.0.2.0/28'])
    .service('a/1', held('192.0.2.1'))
    .service('a/2', held('192.0.2.1'));
  const { occupancy, claimant } = open(world);
  const fault = (key: string) => occupancy.findFault(claimant(key), ipOf('192.0.2.1'))?.message;
  assert.deepEqual(['a/1', 'a/2'].map(fault), [undefined, 'address 192.0.2.1 is in use by a/1']);
});

test('an address that is about to be given up is occupied, and known to come free', () => {
  const world = new World().group('default', ['192.0.2.0/28']).service('a/1').settle();
  world.delete('a/1');
  const { occupancy, place } = open(world);
  const { pool } = place('192.0.2.0');
  assert.ok(pool !== undefined);
  assert.equal(occupancy.usersOf(ipOf('192.0.2.0')).length, 1);
  assert.deepEqual(
    [occupancy.isFreeing(pool, 'ipv4'), occupancy.isFreeing(pool, 'ipv6')],
    [true, false],
  );
});

test('quarantine counts until its time, and a reservation is known to whom it is for', () => {
  const world = new World().group('default', ['192.0.2.0/28']).service('a/1').service('a/2');
  const entry = (ip: string, until: number, reason: string, service?: string) => ({
    ip: ipOf(ip),
    until: world.now + until,
    reason,
    service,
  });
  const entries = [
    entry('192.0.2.0', 1, 'Cooldown'),
    entry('192.0.2.1', 0, 'Cooldown'),
    entry('192.0.2.2', 1, 'Reserved', 'a/1'),
  ];
  const { occupancy, claimant, place } = open(world, new Map([['default', entries]]));
  assert.equal(occupancy.quarantineOf(ipOf('192.0.2.0'))?.reason, 'Cooldown');
  assert.equal(occupancy.quarantineOf(ipOf('192.0.2.1')), undefined);
  assert.equal(place('192.0.2.0').use?.countFree(), 14n);
  const reserved = (key: string) =>
    occupancy.reservedFor(claimant(key).service).map(({ ip }) => ip);
  assert.deepEqual([reserved('a/1'), reserved('a/2')], [['192.0.2.2'], []]);
});

test('only who is settled is still there in the next plan', () => {
  const world = new World()
    .group('default', ['192.0.2.0/28'])
    .service('a/1', held('192.0.2.1'))
    .service('a/2', held('192.0.2.2', 'k'))
    .service('a/3');
  const { occupancy, claimant, place } = open(world, new Map());
  occupancy.take(claimant('a/3'), place('192.0.2.3'));
  occupancy.settle(claimant('a/1'));
  const settled = () =>
    ['192.0.2.1', '192.0.2.2', '192.0.2.3'].map((text) => occupancy.isSettled(ipOf(text)));
  assert.deepEqual(settled(), [true, false, false]);
  occupancy.begin(new Map(), world.now);
  const users = () =>
    ['192.0.2.1', '192.0.2.2', '192.0.2.3'].map((text) => occupancy.usersOf(ipOf(text)).length);
  assert.deepEqual([users(), place('192.0.2.1').use?.inUse], [[1, 0, 0], 1]);
  assert.equal(occupancy.boundTo(claimant('a/3'), place('192.0.2.2').pool, 'ipv4'), undefined);
  occupancy.unsettle(claimant('a/1'));
  assert.deepEqual([users(), place('192.0.2.1').use?.inUse], [[0, 0, 0], 0]);
});

test('a quarantine is of one plan', () => {
  const world = new World().group('default', ['192.0.2.0/28']);
  const entry = { ip: ipOf('192.0.2.0'), until: world.now + 1, reason: 'Cooldown' };
  const { occupancy, place } = open(world, new Map([['default', [entry]]]));
  assert.equal(place('192.0.2.0').use?.lowestFree(), ipToBigInt(ipOf('192.0.2.1')));
  occupancy.begin(new Map(), world.now);
  assert.equal(occupancy.quarantineOf(ipOf('192.0.2.0')), undefined);
  assert.equal(place('192.0.2.0').use?.lowestFree(), ipToBigInt(ipOf('192.0.2.0')));
});
