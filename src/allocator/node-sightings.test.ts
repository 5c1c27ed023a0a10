import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseLifetimes } from '../model/kernel-lifetimes.ts';
import type { Member } from '../model/member.ts';
import { formatPrefix, prefixOf } from '../model/prefix.ts';
import { ManualClock } from '../runtime/manual-clock.ts';
import { NodeSightings } from './node-sightings.ts';

/** `a=1@192.0.2.0/24` is node a's Lease with renewal 1 and its subnets; `!120` behind it are its lifetimes. */
function member(text: string): Member {
  const [, node = '', renewTime = '', subnets = '', lifetimes = ''] =
    /^(\w+)=(\w+)@([^!]*)!?(.*)$/.exec(text) ?? [];
  return {
    node,
    renewTime,
    instance: '1',
    subnets: subnets.split(',').map(prefixOf),
    links: [],
    failing: [],
    unmarked: [],
    handing: [],
    conflicts: [],
    lifetimes: parseLifetimes(lifetimes),
    protocolVersion: 1,
    peerKeys: [],
    durationMs: 10_000,
    resourceVersion: '1',
  };
}

/** From when there was no node yet: those that come live. */
function watching() {
  const started = starting();
  started.look('');
  return started;
}

function starting() {
  const clock = new ManualClock();
  const sightings = new NodeSightings(clock);
  let heardAt = 0;
  return {
    clock,
    sightings,
    look: (leases: string, { isHeard = true } = {}) => {
      if (isHeard) heardAt = clock.monotonic();
      const members = leases === '' ? [] : leases.split(' ').map(member);
      return sightings.look(members, heardAt);
    },
    picture: () => ({
      subnets: sightings.subnets?.map(
        ({ prefix, isLive }) => `${formatPrefix(prefix)} ${isLive ? 'live' : 'lately'}`,
      ),
      lost: Object.fromEntries(sightings.lostHolders),
    }),
  };
}

const v4 = '192.0.2.0/24';
const both = `${v4},2001:db8::/64`;

test('subnets are those of the Leases, each once', () => {
  const { look, picture } = watching();
  assert.equal(look(`a=1@${both} b=1@${v4}`).hasChanged, true);
  assert.deepEqual(picture(), { subnets: [`${v4} live`, '2001:db8::/64 live'], lost: {} });
});

test('a renewal is no change', () => {
  const { look } = watching();
  look(`a=1@${v4}`);
  assert.equal(look(`a=2@${v4}`).hasChanged, false);
});

test('a node that falls silent is lost, its kernel may answer on, and its subnet is one of lately', async () => {
  const { clock, look, picture } = watching();
  assert.deepEqual(look(`a=1@${v4}`), { hasChanged: true, wakeAt: 10_000 });
  await clock.advance(10_000);
  assert.equal(look(`a=1@${v4}`).hasChanged, true);
  const until = Date.UTC(2026, 0, 1) + 300_000;
  assert.deepEqual(picture(), { subnets: [`${v4} lately`], lost: { a: until } });
  await clock.advance(1_000);
  assert.equal(look(`a=1@${v4}`).hasChanged, false);
  assert.deepEqual(picture().lost, { a: until });
});

test('a node whose Lease is deleted stays lost while its kernel may answer', async () => {
  const { clock, look, picture } = watching();
  look(`a=1@${v4}`);
  await clock.advance(10_000);
  look(`a=1@${v4}`);
  look('');
  assert.deepEqual(Object.keys(picture().lost), ['a']);
  await clock.advance(300_000);
  look('');
  assert.deepEqual(picture().lost, {});
});

test('a node is lost for as long as its Lease said that its kernel keeps what it holds', async () => {
  const { clock, look, picture } = watching();
  const leases = `a=1@${v4}!120;130=192.0.2.100 b=1@${v4}!forever`;
  look(leases);
  await clock.advance(10_000);
  look(leases);
  const renewedAt = Date.UTC(2026, 0, 1);
  assert.deepEqual(picture().lost, { a: renewedAt + 130_000, b: renewedAt + 3_600_000 });
});

test('a node that comes back is lost no more', async () => {
  const { clock, look, picture } = watching();
  look(`a=1@${v4}`);
  await clock.advance(10_000);
  look(`a=1@${v4}`);
  assert.equal(look(`a=2@${v4}`).hasChanged, true);
  assert.deepEqual(picture(), { subnets: [`${v4} live`], lost: {} });
});

test('while the watch is silent nobody is judged', async () => {
  const { clock, look, picture } = watching();
  look(`a=1@${v4}`);
  await clock.advance(60_000);
  assert.equal(look(`a=1@${v4}`, { isHeard: false }).hasChanged, false);
  assert.deepEqual(picture(), { subnets: [`${v4} live`], lost: {} });
});

test('a subnet is forgotten ten minutes after its last node', async () => {
  const { clock, look, picture } = watching();
  look(`a=1@${v4}`);
  assert.deepEqual(look(''), { hasChanged: true, wakeAt: 600_000 });
  await clock.advance(600_000);
  assert.equal(look('').hasChanged, true);
  assert.deepEqual(picture(), { subnets: [], lost: {} });
});

test('whether nodes live that were there before us is not known until they renew or expire', async () => {
  const { clock, look, picture } = starting();
  assert.equal(picture().subnets, undefined);
  look(`a=1@${v4} b=1@2001:db8::/64`);
  assert.equal(picture().subnets, undefined);
  await clock.advance(4_000);
  look(`a=2@${v4} b=1@2001:db8::/64`);
  assert.equal(picture().subnets, undefined);
  await clock.advance(6_000);
  assert.equal(look(`a=2@${v4} b=1@2001:db8::/64`).hasChanged, true);
  assert.deepEqual(picture().subnets, [`${v4} live`, '2001:db8::/64 lately']);
});

test('a doubt about a node ends after fifteen seconds, however long its Lease is', async () => {
  const { clock, sightings } = starting();
  const slow = { ...member(`a=1@${v4}`), durationMs: 3_600_000 };
  assert.equal(sightings.look([slow], 0).wakeAt, 15_000);
  await clock.advance(15_000);
  assert.equal(sightings.look([slow], clock.monotonic()).hasChanged, true);
  assert.equal(sightings.subnets?.length, 1);
});
