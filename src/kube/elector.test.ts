import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ManualClock } from '../runtime/manual-clock.ts';
import { Elector, LeadershipLostError } from './elector.ts';
import { HttpCluster } from './http-cluster.ts';
import { LeaseApi } from './lease-api.fixture.ts';

const ref = { namespace: 'purelb-system', name: 'purelb-allocator' };
const durationMs = 2_000;

/**
 * Candidates on one API server and one clock; `log` tells who began and ended to lead, and when. A leader that cannot
 * renew does not act before it knows more: at no time two of `acting()`.
 */
function election() {
  const clock = new ManualClock();
  const api = new LeaseApi();
  const log: string[] = [];
  const electors = new Map<string, Elector>();
  const acting = () => [...electors].filter(([, { isLeading }]) => isLeading).map(([name]) => name);
  const join = (identity: string) => {
    const connection = api.connect(clock);
    const cluster = new HttpCluster({ transport: connection, clock });
    const options = { cluster, clock, random: () => 0.5, ref, identity };
    const elector = new Elector({ ...options, durationMs });
    electors.set(identity, elector);
    const controller = new AbortController();
    const running = elector.run(controller.signal, async (leadership) => {
      assert.deepEqual(acting().slice(1), [], `two leaders: ${acting()}`);
      log.push(`${identity} leads at ${clock.monotonic()}`);
      await new Promise((resolve) => leadership.addEventListener('abort', resolve));
      const isLost = leadership.reason instanceof LeadershipLostError;
      log.push(`${identity} ${isLost ? 'lost it' : 'stops'} at ${clock.monotonic()}`);
    });
    const stop = async () => {
      controller.abort();
      await clock.settle();
      await running;
    };
    return { connection, elector, stop, running, abort: () => controller.abort() };
  };
  return { clock, api, log, acting, join };
}

test('the first candidate makes the Lease, with times of six digits, and leads', async () => {
  const { clock, api, log, join } = election();
  const a = join('a');
  await clock.settle();
  assert.deepEqual(api.lease?.spec, {
    holderIdentity: 'a',
    leaseDurationSeconds: 2,
    acquireTime: '2026-01-01T00:00:00.000000Z',
    leaseTransitions: 1,
    renewTime: '2026-01-01T00:00:00.000000Z',
  });
  assert.deepEqual([log, a.elector.isLeading], [['a leads at 0'], true]);
  await a.stop();
  assert.equal(clock.pendingTimers, 0);
});

test('after a clean stop the standby leads at once', async () => {
  const { clock, log, api, join } = election();
  const a = join('a');
  await clock.settle();
  const b = join('b');
  await clock.advance(20_000);
  assert.equal(b.elector.holder, 'a');
  await a.stop();
  assert.deepEqual(log, ['a leads at 0', 'a stops at 20000', 'b leads at 20000']);
  assert.equal(api.lease?.spec?.leaseTransitions, 2);
  await b.stop();
  assert.equal(api.lease?.spec?.holderIdentity, '');
});

test('after a crash the standby leads when it has seen no renewal for the duration', async () => {
  const { clock, log, join } = election();
  const a = join('a');
  await clock.settle();
  const b = join('b');
  await clock.advance(10_000);
  a.connection.isCut = true;
  await clock.advance(1_399);
  assert.deepEqual([a.elector.isLeading, b.elector.isLeading], [true, false]);
  await clock.advance(1);
  assert.deepEqual([a.elector.isLeading, b.elector.isLeading], [false, false]);
  await clock.advance(60_000);
  // The last renewal was at 10 s: the leader stops acting at 11.4 s, before the standby takes over.
  assert.deepEqual(log, ['a leads at 0', 'b leads at 11750', 'a lost it at 25000']);
  await b.stop();
  await a.stop();
});

test('wrong wall clocks change nothing', async () => {
  const { clock, log, join } = election();
  const a = join('a');
  await clock.settle();
  const b = join('b');
  await clock.advance(5_000);
  clock.jumpWall(3_600_000);
  await clock.advance(30_000);
  clock.jumpWall(-7_200_000);
  await clock.advance(30_000);
  assert.deepEqual(log, ['a leads at 0']);
  await b.stop();
  await a.stop();
});

test('a leader that was paused knows by the clock, and cannot renew over its successor', async () => {
  const { clock, log, api, join } = election();
  const a = join('a');
  await clock.settle();
  clock.stall(5_000);
  assert.equal(a.elector.isLeading, false, 'before any timer could fire');
  api.set({ metadata: ref, spec: { holderIdentity: 'b', leaseDurationSeconds: 15 } });
  await clock.settle();
  assert.deepEqual(log, ['a leads at 0', 'a lost it at 5000']);
  assert.equal(api.lease?.spec?.holderIdentity, 'b');
  await a.stop();
  assert.equal(api.lease?.spec?.holderIdentity, 'b', 'what is not ours is not released');
});

test('who finds another holder when renewing stops at once', async () => {
  const { clock, log, api, join } = election();
  const a = join('a');
  await clock.advance(500);
  api.set({ metadata: ref, spec: { holderIdentity: 'b', leaseDurationSeconds: 15 } });
  await clock.advance(500);
  assert.deepEqual(log, ['a leads at 0', 'a lost it at 1000']);
  await a.stop();
});

test('an annotation by somebody else, or a deleted Lease, does not end a leadership', async () => {
  const { clock, log, api, join } = election();
  const a = join('a');
  await clock.advance(1_000);
  const { lease } = api;
  assert.ok(lease);
  api.set({ ...lease, metadata: { ...lease.metadata, annotations: { note: 'x' } } });
  await clock.advance(5_000);
  api.set(undefined);
  await clock.advance(30_000);
  assert.deepEqual([log, api.lease?.spec?.holderIdentity], [['a leads at 0'], 'a']);
  await a.stop();
});

test('an annotation is no sign of life of a dead leader', async () => {
  const { clock, log, api, join } = election();
  api.set({ metadata: ref, spec: { holderIdentity: 'dead', leaseDurationSeconds: 16 } });
  const b = join('b');
  await clock.advance(10_000);
  const { lease } = api;
  assert.ok(lease);
  api.set({ ...lease, metadata: { ...lease.metadata, annotations: { note: 'x' } } });
  await clock.advance(10_000);
  assert.deepEqual(log, ['b leads at 14000']);
  await b.stop();
});

test('renewals that take five seconds make the leader ask for longer, and do not cost the leadership', async () => {
  const { clock, api, log, join } = election();
  const a = join('a');
  await clock.settle();
  const b = join('b');
  a.connection.latencyMs = 5_000;
  await clock.advance(10_000);
  // For one whose calls take so long two seconds are too short: another leads meanwhile.
  assert.deepEqual(log.at(-1), 'b leads at 1750');
  await b.stop();
  await clock.advance(60_000);
  const before = log.length;
  const c = join('c');
  await clock.advance(120_000);
  assert.deepEqual([log.slice(before), api.lease?.spec?.leaseDurationSeconds], [[], 16]);
  a.connection.latencyMs = 0;
  await clock.advance(300_000);
  assert.deepEqual([log.slice(before), api.lease?.spec?.leaseDurationSeconds], [[], 2]);
  await c.stop();
  await a.stop();
});

test('a server that answers after one second keeps its leader, which soon acts all the time', async () => {
  const { clock, log, join } = election();
  const a = join('a');
  const b = join('b');
  for (const { connection } of [a, b]) connection.latencyMs = 1_000;
  await clock.advance(30_000);
  const leader = a.elector.isLeading ? a : b;
  const before = log.length;
  for (let ms = 0; ms < 60_000; ms += 100) {
    await clock.advance(100);
    assert.equal(leader.elector.isLeading, true, `at ${clock.monotonic()}`);
  }
  assert.equal(log.length, before);
  for (const { connection } of [a, b]) connection.latencyMs = 0;
  await a.stop();
  await b.stop();
});

test('the time to act counts from when a renewal was sent, not from when it was answered', async () => {
  const { clock, join } = election();
  const a = join('a');
  await clock.settle();
  a.connection.latencyMs = 300;
  await clock.advance(1_300);
  a.connection.isCut = true;
  assert.equal(a.elector.actsForMs, 1_100);
  await clock.advance(1_100);
  assert.equal(a.elector.isLeading, false);
  await a.stop();
});

test('a leader whose next renewal succeeds goes on, because nobody else has led', async () => {
  const { clock, log, join } = election();
  const a = join('a');
  await clock.settle();
  a.connection.isCut = true;
  await clock.advance(10_000);
  assert.equal(a.elector.isLeading, false);
  a.connection.isCut = false;
  await clock.advance(2_000);
  assert.deepEqual([log, a.elector.isLeading], [['a leads at 0'], true]);
  await a.stop();
});

test('a leader that finds its Lease taken and released meanwhile does not go on with what it knew', async () => {
  const { clock, log, join } = election();
  const a = join('a');
  await clock.settle();
  const b = join('b');
  await clock.advance(500);
  a.connection.isCut = true;
  await clock.advance(3_000);
  assert.equal(log.at(-1), 'b leads at 1750');
  await b.stop();
  a.connection.isCut = false;
  await clock.advance(2_000);
  assert.deepEqual(
    log.slice(-2).map((line) => line.replace(/ at .*/, '')),
    ['a lost it', 'a leads'],
  );
  await a.stop();
});

test('a Lease that somebody deletes is not free: its holder acts until it has expired, and makes it anew', async () => {
  const { clock, api, log, acting, join } = election();
  const a = join('a');
  await clock.settle();
  const b = join('b');
  await clock.advance(2_500);
  api.set(undefined);
  await clock.advance(100);
  assert.deepEqual(acting(), ['a']);
  await clock.advance(60_000);
  assert.deepEqual([log, api.lease?.spec?.holderIdentity], [['a leads at 0'], 'a']);
  api.set(undefined);
  a.connection.isCut = true;
  await clock.advance(3_000);
  assert.deepEqual(acting(), ['b']);
  await b.stop();
  await a.stop();
});

test('a Lease is renewed once a second, whatever its duration below five', async () => {
  const { clock, api, join } = election();
  const a = join('a');
  await clock.advance(60_500);
  assert.equal(api.writes.length, 61);
  await a.stop();
});

test('a standby that comes back after an outage does not take what others renewed meanwhile', async () => {
  const { clock, log, join } = election();
  const a = join('a');
  await clock.settle();
  const b = join('b');
  await clock.advance(5_000);
  b.connection.isCut = true;
  await clock.advance(60_000);
  b.connection.isCut = false;
  await clock.advance(60_000);
  assert.deepEqual(log, ['a leads at 0']);
  await b.stop();
  await a.stop();
});

test('who is stopped while trying gives back what it may have got', async () => {
  const { clock, api, join } = election();
  api.set({ metadata: ref, spec: { holderIdentity: '', leaseDurationSeconds: 1 } });
  const a = join('a');
  a.connection.latencyMs = 100;
  await clock.advance(170);
  assert.equal(api.lease?.spec?.holderIdentity, 'a', 'written, but not answered yet');
  a.abort();
  await clock.advance(1_000);
  await a.running;
  assert.equal(api.lease?.spec?.holderIdentity, '');
});

test('when the work itself ends or fails, the Lease is released', async () => {
  const clock = new ManualClock();
  const api = new LeaseApi();
  const cluster = new HttpCluster({ transport: api.connect(clock), clock });
  const elector = new Elector({ cluster, clock, random: () => 0, ref, identity: 'a', durationMs });
  const running = elector.run(new AbortController().signal, async () => {
    throw new Error('work is broken');
  });
  running.catch(() => {});
  await clock.settle();
  await assert.rejects(running, /work is broken/);
  assert.deepEqual([api.lease?.spec?.holderIdentity, clock.pendingTimers], ['', 0]);
});

type Candidate = ReturnType<ReturnType<typeof election>['join']>;

const troubles: Readonly<Record<string, (candidate: Candidate) => void>> = {
  cut: ({ connection }) => Object.assign(connection, { isCut: true }),
  mend: ({ connection }) => Object.assign(connection, { isCut: false }),
  slow: ({ connection }) => Object.assign(connection, { latencyMs: 300 }),
  slower: ({ connection }) => Object.assign(connection, { latencyMs: 2_000 }),
  fast: ({ connection }) => Object.assign(connection, { latencyMs: 0 }),
};

test('under any cuts and delays at most one acts at any time, and in the end one does', async () => {
  const trouble = fc.constantFrom(...Object.values(troubles));
  const step = fc.tuple(fc.constantFrom('a', 'b', 'c'), trouble, fc.nat(5_000));
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 25, size: 'max' }), async (steps) => {
      const { clock, acting, join } = election();
      const candidates = { a: join('a'), b: join('b'), c: join('c') };
      const all = Object.values(candidates);
      for (const [name, happen, ms] of steps) {
        happen(candidates[name]);
        for (let passed = 0; passed < ms; passed += 70) {
          await clock.advance(Math.min(70, ms - passed));
          assert.deepEqual(acting().slice(1), [], `two act: ${acting()}`);
        }
      }
      for (const { connection } of all) Object.assign(connection, { isCut: false, latencyMs: 0 });
      await clock.advance(60_000);
      assert.equal(acting().length, 1);
      for (const { stop } of all) await stop();
    }),
    { numRuns: 100 },
  );
});
