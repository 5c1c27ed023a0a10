import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '../runtime/manual-clock.ts';
import type { EventObject } from './event-object.ts';
import { EventRecorder } from './event-recorder.ts';
import type { EventWish } from './event-series.ts';
import { HttpCluster } from './http-cluster.ts';
import {
  connectionRefused,
  connectionReset,
  type Fault,
  hangs,
  ok,
  status,
} from './scripted-api.fixture.ts';

const wish: EventWish = {
  regarding: { apiVersion: 'v1', kind: 'Service', namespace: 'web', name: 'shop', uid: 'u1' },
  type: 'Normal',
  reason: 'AddressAssigned',
  action: 'Allocate',
  note: 'Assigned 192.0.2.1 from pool default',
};

/** A recorder whose server answers well but for `faults`, and what the server was sent. */
function start(...faults: readonly Fault[]) {
  const clock = new ManualClock();
  const left = [...faults];
  const sent: { readonly what: string; readonly body: Partial<EventObject> }[] = [];
  const cluster = new HttpCluster({
    clock,
    transport: {
      exchange: async (request) => {
        const { method, path, body = '{}' } = request;
        sent.push({ what: `${method} ${path}`, body: JSON.parse(body) as Partial<EventObject> });
        const answer = left.shift()?.(request) ?? ok(body);
        if (answer instanceof Error) throw answer;
        return answer;
      },
    },
  });
  const dropped: unknown[] = [];
  let chance = 0;
  const recorder = new EventRecorder({
    cluster,
    clock,
    random: () => {
      chance = (chance + 0.01) % 1;
      return chance;
    },
    controller: 'purelb-allocator',
    instance: 'allocator-1',
    onDropped: (_, why) => dropped.push(why),
  });
  const lines = () =>
    sent.map(({ what, body: { note, series } }) =>
      [
        what.replace(/[0-9a-f]{16}$/, 'N').replace('/apis/events.k8s.io/v1/namespaces', ''),
        note,
        series?.count,
      ]
        .filter((part) => part !== undefined)
        .join(' '),
    );
  return { clock, recorder, sent, lines, dropped };
}

test('an event is sent as events.k8s.io wants it', async () => {
  const { clock, recorder, sent } = start();
  recorder.record(wish);
  await clock.settle();
  assert.deepEqual(sent, [
    {
      what: 'POST /apis/events.k8s.io/v1/namespaces/web/events',
      body: {
        metadata: { namespace: 'web', name: 'shop.18867251edfa2710' },
        eventTime: '2026-01-01T00:00:00.000000Z',
        type: 'Normal',
        reason: 'AddressAssigned',
        action: 'Allocate',
        note: 'Assigned 192.0.2.1 from pool default',
        regarding: wish.regarding,
        reportingController: 'purelb-allocator',
        reportingInstance: 'allocator-1',
        apiVersion: 'events.k8s.io/v1',
        kind: 'Event',
      },
    },
  ]);
});

test('an event about an object without a namespace goes to the default one', async () => {
  const { clock, recorder, sent } = start();
  recorder.record({ ...wish, regarding: { apiVersion: 'v1', kind: 'Node', name: 'n1' } });
  await clock.settle();
  assert.match(sent[0]?.what ?? '', /namespaces\/default\/events$/);
});

test('the same again becomes a count that is told ever more rarely', async () => {
  const { clock, recorder, lines } = start();
  for (let second = 0; second < 300; second += 1) {
    recorder.record(wish);
    await clock.advance(1_000);
  }
  assert.deepEqual(lines(), [
    `POST /web/events ${wish.note}`,
    'PATCH /web/events/shop.N 30',
    'PATCH /web/events/shop.N 90',
    'PATCH /web/events/shop.N 210',
  ]);
  await recorder.stop(1_000);
  assert.equal(lines().at(-1), 'PATCH /web/events/shop.N 300');
  assert.equal(clock.pendingTimers, 0);
});

test('another note, reason or object is another event; the same after a long pause too', async () => {
  const { clock, recorder, lines } = start();
  recorder.record(wish);
  recorder.record({ ...wish, note: 'Assigned 192.0.2.2 from pool default' });
  recorder.record({ ...wish, regarding: { ...wish.regarding, name: 'other' } });
  await clock.advance(360_001);
  recorder.record(wish);
  await clock.settle();
  assert.equal(lines().filter((line) => line.startsWith('POST')).length, 4);
});

test('a repetition while the first is under way is counted, not sent twice', async () => {
  const { clock, recorder, lines } = start(hangs);
  recorder.record(wish);
  await clock.settle();
  recorder.record(wish);
  await clock.advance(20_000);
  assert.deepEqual(lines(), [`POST /web/events ${wish.note}`]);
  await clock.advance(13_000);
  assert.deepEqual(lines().slice(1), [`POST /web/events ${wish.note} 2`]);
});

test('events that the server forgot after a while are made again with their count', async () => {
  const { clock, recorder, lines } = start(
    () => undefined,
    () => status(404, 'NotFound'),
  );
  recorder.record(wish);
  await clock.advance(300_000);
  recorder.record(wish);
  await clock.settle();
  assert.deepEqual(lines(), [
    `POST /web/events ${wish.note}`,
    'PATCH /web/events/shop.N 2',
    `POST /web/events ${wish.note} 2`,
  ]);
});

test('while the server is away events wait, and an attempt whose answer was lost is not doubled', async () => {
  const { clock, recorder, lines, dropped } = start(connectionRefused, connectionReset, () =>
    status(409, 'AlreadyExists'),
  );
  recorder.record(wish);
  await clock.advance(10_000);
  assert.deepEqual([lines().length, dropped], [3, []]);
  await clock.advance(60_000);
  assert.equal(lines().length, 3);
});

test('a server that asks us to wait is given the time', async () => {
  const { clock, recorder, lines } = start(() =>
    status(429, 'TooManyRequests', { 'retry-after': '20' }),
  );
  recorder.record(wish);
  recorder.record({ ...wish, note: 'another' });
  await clock.advance(19_000);
  assert.equal(lines().length, 2, 'one of the two was under way already');
  await clock.advance(2_000);
  assert.equal(lines().length, 3);
});

test('an event that the server will not take is dropped and counted, and others go on', async () => {
  const { clock, recorder, lines, dropped } = start(() => status(403, 'Forbidden'));
  recorder.record(wish);
  recorder.record({ ...wish, note: 'another' });
  await clock.settle();
  assert.deepEqual([lines().length, recorder.dropped, dropped.length], [2, 1, 1]);
});

test('a flood is bounded: per object, in the queue, and in what is under way at once', async () => {
  const { clock, recorder, lines } = start(...Array<Fault>(10).fill(hangs));
  for (let number = 0; number < 100; number += 1) recorder.record({ ...wish, note: `n${number}` });
  assert.equal(recorder.dropped, 75, 'twenty-five of one object');
  for (let number = 0; number < 2_000; number += 1) {
    recorder.record({ ...wish, regarding: { ...wish.regarding, name: `s${number}` } });
  }
  await clock.settle();
  assert.equal(lines().length, 4);
  assert.equal(recorder.dropped, 75 + 2_000 - (1_000 - 21));
});

test('an object that had its burst gets one more event every five minutes', async () => {
  const { clock, recorder } = start();
  for (let number = 0; number < 26; number += 1) recorder.record({ ...wish, note: `n${number}` });
  assert.equal(recorder.dropped, 1);
  await clock.advance(300_000);
  recorder.record({ ...wish, note: 'later' });
  recorder.record({ ...wish, note: 'too early' });
  assert.equal(recorder.dropped, 2);
});

test('notes and words are cut to what the server takes, at a whole character', async () => {
  const { clock, recorder, sent } = start();
  recorder.record({ ...wish, note: 'ü'.repeat(1_000), reason: 'R'.repeat(200) });
  recorder.record({ ...wish, regarding: { ...wish.regarding, name: 'n'.repeat(253) } });
  await clock.settle();
  const [first, second] = sent.map(({ body }) => body);
  assert.equal(first?.note, `${'ü'.repeat(510)}…`);
  assert.equal(Buffer.byteLength(first?.reason ?? ''), 128);
  assert.equal(second?.metadata?.name.length, 237);
});

test('stopping sends what is left, for a limited time, and takes nothing more', async () => {
  const { clock, recorder, lines } = start(hangs);
  recorder.record(wish);
  const stopping = recorder.stop(500);
  await clock.advance(500);
  await stopping;
  recorder.record({ ...wish, note: 'too late' });
  await clock.advance(100_000);
  assert.deepEqual([lines().length, recorder.dropped, clock.pendingTimers], [1, 1, 0]);
});

test('an event that is gone soon after it was made went with its namespace, and is not repeated', async () => {
  const { clock, recorder, lines, dropped } = start(
    () => undefined,
    () => status(404, 'NotFound'),
  );
  recorder.record(wish);
  recorder.record(wish);
  await clock.advance(100_000);
  assert.deepEqual(lines(), [`POST /web/events ${wish.note}`, 'PATCH /web/events/shop.N 2']);
  assert.deepEqual([dropped, clock.pendingTimers], [[], 0]);
});

test('an event in a namespace that is gone or being deleted is given up, and nobody is warned', async () => {
  const causes = [{ reason: 'NamespaceTerminating', message: 'namespace web is being terminated' }];
  for (const answer of [
    () => status(403, 'Forbidden', {}, { causes }),
    () => status(404, 'NotFound'),
  ]) {
    const { clock, recorder, lines, dropped } = start(answer);
    recorder.record(wish);
    await clock.advance(100_000);
    assert.deepEqual([lines().length, dropped, recorder.dropped], [1, [], 0]);
  }
  const { clock, recorder, dropped } = start(() => status(403, 'Forbidden'));
  recorder.record(wish);
  await clock.advance(100_000);
  assert.equal(dropped.length, 1);
});

test('events are listed in the order in which things happened: names follow their times', async () => {
  const { clock, recorder, sent } = start();
  recorder.record({ ...wish, note: 'second' });
  recorder.record({ ...wish, note: 'first', at: clock.now() - 20 });
  await clock.advance(5);
  recorder.record({ ...wish, note: 'third' });
  await clock.settle();
  const bodies = sent.map(({ body }) => body);
  const byName = bodies.toSorted((left, right) =>
    String(left.metadata?.name) < String(right.metadata?.name) ? -1 : 1,
  );
  assert.deepEqual(
    byName.map(({ note }) => note),
    ['first', 'second', 'third'],
  );
  assert.equal(byName[0]?.eventTime, '2025-12-31T23:59:59.980000Z');
});
