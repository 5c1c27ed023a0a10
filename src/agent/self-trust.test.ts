import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AddressDecision } from '../decide/announcement/address-decision.ts';
import { everyLink } from '../decide/failover/distrust-self.ts';
import { ipOf } from '../model/ip.ts';
import { noLifetimes } from '../model/kernel-lifetimes.ts';
import { Log } from '../runtime/log.ts';
import { ManualClock } from '../runtime/manual-clock.ts';
import { Metrics } from '../runtime/metrics.ts';
import { SelfTrust } from './self-trust.ts';

const ip = ipOf('192.0.2.100');
const lifetimePromise = { writtenAt: 0, lifetimes: noLifetimes, isFailing: false };
const renewed = { isHealthy: true, isLapsed: false, durationMs: 10_000, lifetimePromise };

function build() {
  const clock = new ManualClock();
  const life = { suspendedMs: 0, busyMs: 0 };
  const lines: string[] = [];
  const counted: string[] = [];
  const woken = { count: 0 };
  const contests = { count: 0 };
  const self = new SelfTrust({
    clock,
    pulse: { boot: () => clock.monotonic() + life.suspendedMs, busy: () => life.busyMs },
    log: Log.create({ level: 'info', sink: (line) => lines.push(line), now: () => clock.now() }),
    metrics: {
      countDoubt: (reason) => counted.push(reason),
      yields: new Metrics(() => {}).counter({ name: 'yields', help: 'Yields' }),
    },
    onDoubt: () => {
      woken.count += 1;
    },
    onContest: () => {
      contests.count += 1;
    },
  });
  self.start();
  const because = () => self.doubts.get(everyLink)?.because;
  return { clock, life, self, lines, counted, woken, contests, because };
}

const decision = (more: Partial<AddressDecision>): AddressDecision => ({
  ip,
  services: ['shop/web'],
  mode: 'local',
  outcome: { kind: 'leave' },
  reason: 'verifying',
  ...more,
});

test('whoever starts relies on nothing yet', () => {
  assert.equal(build().because(), 'started');
});

test('one that runs on time does not doubt itself, and one that did not run does, once', async () => {
  const { clock, self, because, counted, woken, lines } = build();
  await clock.advance(10_000);
  const startedAt = clock.monotonic();
  assert.ok(self.hasRunSince(startedAt));
  clock.stall(2_000);
  assert.ok(!self.hasRunSince(startedAt));
  assert.equal(because(), 'stalled');
  assert.ok(self.hasRunSince(clock.monotonic()));
  assert.deepEqual([counted, woken.count, lines.length], [['stalled'], 1, 1]);
  clock.stall(2_000);
  await clock.advance(0);
  assert.deepEqual(counted, ['stalled']);
});

test('short stalls one after another do not keep it from verifying anything', async () => {
  const { clock, self } = build();
  await clock.advance(10_000);
  self.check();
  const startedAt = clock.monotonic();
  clock.stall(500);
  assert.ok(!self.hasRunSince(startedAt));
  const again = clock.monotonic();
  clock.stall(900);
  assert.ok(self.hasRunSince(again));
  clock.stall(1_100);
  assert.ok(!self.hasRunSince(again));
  self.note([decision({ verifiedAt: clock.monotonic() + 1 })]);
  const verified = clock.monotonic() + 1;
  clock.stall(500);
  assert.ok(!self.hasRunSince(verified));
});

test('a stall is noticed by itself, also one in which the machine slept', async () => {
  const { clock, life, because } = build();
  await clock.advance(1_000);
  life.suspendedMs = 60_000;
  await clock.advance(300);
  assert.equal(because(), 'stalled');
});

test('while others check all the time it sets no alarm of its own', async () => {
  const { clock, self, life } = build();
  for (let beat = 0; beat < 20; beat += 1) {
    await clock.advance(100);
    self.check();
    assert.equal(clock.pendingTimers, 1);
    assert.equal(clock.nextDue(), clock.monotonic() + 108);
  }
  life.suspendedMs = 60_000;
  await clock.advance(300);
  assert.equal(self.doubts.get(everyLink)?.because, 'stalled');
});

test('while somebody says when it feels the pulse next, there is no alarm at all', async () => {
  const { clock, self, life, because } = build();
  for (let beat = 0; beat < 20; beat += 1) {
    self.feel();
    self.expect(clock.monotonic() + 100);
    self.check();
    assert.equal(clock.pendingTimers, 0);
    await clock.advance(100);
  }
  assert.equal(because(), 'started');
  life.suspendedMs = 60_000;
  self.feel();
  assert.equal(because(), 'stalled');
});

test('it helps itself when nobody feels the pulse any more, or only later', async () => {
  for (const laterMs of [Infinity, 300]) {
    const { clock, self, life, because } = build();
    self.expect(clock.monotonic() + 100);
    self.expect(clock.monotonic() + laterMs);
    assert.equal(clock.nextDue(), clock.monotonic() + 108);
    life.suspendedMs = 60_000;
    await clock.advance(120);
    assert.equal(because(), 'stalled');
  }
});

test('who computes for long was there all the while', async () => {
  const { clock, life, because } = build();
  await clock.advance(1_000);
  clock.stall(3_000);
  life.busyMs = 2_900;
  await clock.advance(1_000);
  assert.equal(because(), 'started');
});

test('how long it may stand still is configured', async () => {
  const { clock, self, because } = build();
  self.stallMs = 5_000;
  await clock.advance(10_000);
  clock.stall(3_000);
  await clock.advance(10_000);
  assert.equal(because(), 'started');
});

test('what was verified is remembered until it is given up', () => {
  const { self } = build();
  self.note([decision({ verifiedAt: 7 })]);
  assert.deepEqual([...self.view(renewed, 0).verifiedAt], [[ip, 7]]);
  self.note([decision({})]);
  assert.deepEqual([...self.view(renewed, 0).verifiedAt], [[ip, 7]]);
  self.note([decision({ outcome: { kind: 'absent' }, yields: true })]);
  const { verifiedAt, yieldedAt, isBlind } = self.view({ ...renewed, isHealthy: false }, 0);
  assert.deepEqual([[...verifiedAt], [...yieldedAt], isBlind], [[], [[ip, 0]], true]);
});

test('a contest is one for as long as it is heard of', async () => {
  const { self, clock, contests } = build();
  const since = () => self.view(renewed, 0).contestedSince.get(ip);
  const begun = clock.monotonic();
  self.note([decision({ defends: true })]);
  await clock.advance(1_500);
  self.note([decision({})]);
  self.note([decision({ defends: true })]);
  assert.deepEqual([since(), contests.count], [begun, 1]);
  await clock.advance(2_500);
  self.note([decision({})]);
  assert.equal(since(), undefined);
});

test('stopped, it feels no pulse', async () => {
  const { clock, self, because } = build();
  self.stop();
  clock.stall(2_000);
  await clock.advance(2_000);
  assert.equal(because(), 'started');
});
