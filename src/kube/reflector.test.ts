import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { test } from 'node:test';
import { answering, BodyPipe } from './body-pipe.fixture.ts';
import { contents, startReflector, truth } from './reflector.fixture.ts';
import {
  connectionRefused,
  connectionReset,
  hangs,
  line,
  ScriptedApi,
  status,
} from './scripted-api.fixture.ts';

function apiWith(...names: readonly string[]): ScriptedApi {
  const api = new ScriptedApi();
  for (const name of names) api.set(name, 1);
  return api;
}

async function synced(api = apiWith('a', 'b', 'c')) {
  const bench = startReflector({ api });
  await bench.clock.settle();
  assert.deepEqual(contents(bench.store), truth(api));
  return bench;
}

/** A change after the fault must be seen within `ms`, and nothing may be amiss then. */
async function assertRecovers(
  { api, clock, store }: Awaited<ReturnType<typeof synced>>,
  ms: number,
): Promise<void> {
  api.set('a', 'after');
  await clock.advance(ms);
  assert.deepEqual(contents(store), truth(api));
}

test('the first state comes as a stream, and the watch goes on from it', async () => {
  const bench = await synced();
  assert.deepEqual(bench.seen, ['+a 1', '+b 1', '+c 1']);
  bench.api.set('a', 2);
  bench.api.delete('b');
  bench.api.set('d', 1);
  await bench.clock.settle();
  assert.deepEqual(bench.seen.slice(3), ['~a 1→2', '-b 1', '+d 1']);
  assert.deepEqual(bench.api.asked, ['stream']);
  assert.equal(bench.reflector.isSynced, true);
  await bench.reflector.whenSynced();
  await bench.stop();
});

test('nobody sees half a state: the stream is collected aside until its end is marked', async () => {
  const api = apiWith();
  const ending = new AbortController();
  const body = new BodyPipe(ending.signal);
  api.faults.push(({ signal }) => {
    signal.addEventListener('abort', () => ending.abort(signal.reason));
    return answering(body);
  });
  const bench = startReflector({ api });
  body.write(line('ADDED', api.set('a', 1)));
  await bench.clock.settle();
  assert.deepEqual([contents(bench.store), bench.reflector.isSynced], [[], false]);
  const metadata = { resourceVersion: '200', annotations: { 'k8s.io/initial-events-end': 'true' } };
  body.write(line('BOOKMARK', { metadata }));
  await bench.clock.settle();
  assert.deepEqual([contents(bench.store), bench.reflector.isSynced], [['a 1'], true]);
  await bench.stop();
});

test('a server that knows no streams is read by pages, and never asked for a stream again', async () => {
  const api = apiWith('a', 'b', 'c');
  api.canStream = false;
  const bench = await startAndRecover(api);
  assert.deepEqual(api.asked, ['stream', 'list', 'list+', 'watch 103']);
  api.endWatches(({ body }) => body.end());
  api.set('a', 2);
  api.compact();
  await bench.clock.advance(1_600);
  assert.deepEqual(api.asked.slice(4), ['watch 103', 'list', 'list+', 'watch 104']);
  await bench.stop();
});

async function startAndRecover(api: ScriptedApi) {
  const bench = startReflector({ api });
  await bench.clock.settle();
  assert.deepEqual(contents(bench.store), truth(api));
  return bench;
}

test('managedFields are dropped, and a projection decides what else is kept', async () => {
  const api = apiWith();
  const object = api.set('a', 1);
  api.objects.set('a', {
    ...object,
    metadata: { ...object.metadata, managedFields: [{ manager: 'x' }] } as typeof object.metadata,
  });
  const bench = await startAndRecover(api);
  assert.deepEqual(bench.store.get('default/a'), object);
  await bench.stop();
});

test('an object of the same name and another uid goes before the new one comes', async () => {
  const bench = await synced(apiWith('a'));
  bench.api.endWatches(({ body }) => body.end());
  bench.api.compact();
  bench.api.delete('a');
  bench.api.set('a', 'new');
  bench.api.compact();
  await bench.clock.advance(10);
  assert.deepEqual(bench.seen, ['+a 1', '-a 1', '+a new']);
  await bench.stop();
});

test('what vanished while we did not look is told as gone, with its last known state', async () => {
  const bench = await synced(apiWith('a', 'b'));
  bench.api.endWatches(({ body }) => body.end());
  bench.api.delete('b');
  bench.api.compact();
  await bench.clock.advance(10);
  assert.deepEqual(bench.seen, ['+a 1', '+b 1', '-b 1']);
  await bench.stop();
});

// Each row of the table of faults that other clients die of.

test('graceful close: goes on at once from the last version', async () => {
  const bench = await synced();
  await bench.clock.advance(1_000);
  bench.api.endWatches(({ body }) => body.end());
  await assertRecovers(bench, 1);
  assert.deepEqual(bench.api.asked, ['stream', 'watch 103']);
  await bench.stop();
});

test('socket reset: goes on from the last version after a short wait', async () => {
  const bench = await synced();
  bench.api.endWatches(({ body }) => body.fail(connectionReset()));
  await assertRecovers(bench, 1_600);
  assert.deepEqual(bench.api.asked, ['stream', 'watch 103']);
  await bench.stop();
});

test('half a line, then reset: the half counts for nothing, and its change comes again', async () => {
  const bench = await synced();
  bench.api.endWatches(({ body }) => {
    body.write(line('MODIFIED', bench.api.set('b', 'half')).slice(0, 90)).fail(connectionReset());
  });
  await bench.clock.settle();
  assert.deepEqual(contents(bench.store), ['a 1', 'b 1', 'c 1']);
  await assertRecovers(bench, 1_600);
  assert.deepEqual(bench.seen.slice(3), ['~b 1→half', '~a 1→after']);
  await bench.stop();
});

test('a watch that ends within a line is a fault, even when the close was graceful', async () => {
  const bench = await synced();
  bench.api.endWatches(({ body }) => body.write('{"type":"MODIF').end());
  await assertRecovers(bench, 1_600);
  assert.equal(bench.observed.filter(({ kind }) => kind === 'failed').length, 1);
  await bench.stop();
});

test('ERROR event 410: everything is read again, at once', async () => {
  const bench = await synced();
  const gone = line('ERROR', { kind: 'Status', code: 410, reason: 'Expired', message: 'too old' });
  bench.api.endWatches(({ body }) => body.write(gone));
  await assertRecovers(bench, 1);
  assert.deepEqual(bench.api.asked, ['stream', 'stream']);
  await bench.stop();
});

test('HTTP 410 on watch: everything is read again, at once', async () => {
  const bench = await synced();
  await bench.clock.advance(1_000);
  bench.api.set('b', 2);
  await bench.clock.settle();
  bench.api.compactedTo = 500;
  bench.api.endWatches(({ body }) => body.end());
  await assertRecovers(bench, 1);
  assert.deepEqual(bench.api.asked, ['stream', 'watch 104', 'stream']);
  await bench.stop();
});

test('410 again and again: reads anew with growing pauses, not in a hot loop', async () => {
  const bench = await synced();
  bench.api.compactedTo = 1e9;
  for (let second = 0; second < 60; second += 1) {
    bench.api.endWatches(({ body }) => body.end());
    await bench.clock.advance(1_000);
  }
  const streams = bench.api.asked.filter((what) => what === 'stream').length;
  assert.ok(streams >= 4 && streams <= 8, `${streams} streams in a minute`);
  await bench.stop();
});

test('ERROR event 500 with the stream left open: the watch is opened anew from the last version', async () => {
  const bench = await synced();
  const fault = line('ERROR', { kind: 'Status', code: 500, message: 'etcd is unwell' });
  bench.api.endWatches(({ body }) => body.write(fault));
  await assertRecovers(bench, 1_600);
  assert.deepEqual(bench.api.asked, ['stream', 'watch 103']);
  await bench.stop();
});

test('ERROR event 500 for ever: after five in a row everything is read again', async () => {
  const bench = await synced();
  const fault = line('ERROR', { kind: 'Status', code: 500, message: 'etcd is unwell' });
  for (let round = 0; round < 5; round += 1) {
    bench.api.endWatches(({ body }) => body.write(fault));
    await bench.clock.advance(30_000);
  }
  assert.deepEqual(bench.api.asked, ['stream', ...Array(4).fill('watch 103'), 'stream']);
  await bench.stop();
});

test('429 with Retry-After, three times: waits as told, and never reads everything again', async () => {
  const bench = await synced();
  const later = () => status(429, 'TooManyRequests', { 'retry-after': '40' });
  bench.api.faults.push(later, later, later);
  bench.api.endWatches(({ body }) => body.fail(connectionReset()));
  await bench.clock.advance(1_600);
  assert.equal(bench.api.asked.length, 2);
  await bench.clock.advance(39_900);
  assert.equal(bench.api.asked.length, 2, 'not before the forty seconds are over');
  await assertRecovers(bench, 81_000);
  assert.deepEqual(bench.api.asked, ['stream', ...Array(4).fill('watch 103')]);
  await bench.stop();
});

test('500 on watch, three times: backs off and goes on from the last version', async () => {
  const bench = await synced();
  const fault = () => status(500, 'InternalError');
  bench.api.faults.push(fault, fault, fault);
  bench.api.endWatches(({ body }) => body.fail(connectionReset()));
  await assertRecovers(bench, 25_000);
  assert.deepEqual(bench.api.asked, ['stream', ...Array(4).fill('watch 103')]);
  await bench.stop();
});

for (const code of [500, 429]) {
  test(`${code} on the first list, twice: tried again until it works`, async () => {
    const api = apiWith('a', 'b');
    api.canStream = false;
    const fault = () => status(code, 'Fault');
    api.faults.push(() => undefined, fault, fault);
    const bench = startReflector({ api });
    await bench.clock.advance(12_000);
    assert.deepEqual(contents(bench.store), truth(api));
    assert.deepEqual(api.asked, ['stream', 'list', 'list', 'list', 'watch 102']);
    await bench.stop();
  });
}

test('connection refused, three times: backs off and goes on from the last version', async () => {
  const bench = await synced();
  bench.api.faults.push(connectionRefused, connectionRefused, connectionRefused);
  bench.api.endWatches(({ body }) => body.fail(connectionReset()));
  await assertRecovers(bench, 25_000);
  assert.deepEqual(bench.api.asked, ['stream', ...Array(4).fill('watch 103')]);
  await bench.stop();
});

test('no response headers: given up after 30 s, then opened anew', async () => {
  const api = apiWith('a');
  const bench = await synced(api);
  api.faults.push(hangs);
  await bench.clock.advance(1_000);
  bench.api.endWatches(({ body }) => body.end());
  api.set('a', 'after');
  await bench.clock.advance(29_000);
  assert.notDeepEqual(contents(bench.store), truth(api));
  await bench.clock.advance(4_000);
  assert.deepEqual(contents(bench.store), truth(api));
  await bench.stop();
});

test('bytes stop with the socket open: cut after 150 s of silence, not before', async () => {
  const bench = await synced();
  for (const watch of bench.api.watches) watch.isLive = false;
  bench.api.set('a', 'after');
  await bench.clock.advance(149_000);
  assert.deepEqual(bench.api.asked, ['stream']);
  await bench.clock.advance(3_000);
  assert.deepEqual(contents(bench.store), truth(bench.api));
  assert.deepEqual(bench.api.asked, ['stream', 'watch 103']);
  await bench.stop();
});

test('a quiet watch with a bookmark a minute is left alone until its time is over', async () => {
  const bench = await synced();
  for (let minute = 1; minute < 5; minute += 1) {
    await bench.clock.advance(60_000);
    bench.api.version += 10;
    bench.api.bookmark();
    await bench.clock.settle();
    assert.equal(bench.reflector.silentForMs, 0);
  }
  assert.deepEqual(bench.api.asked, ['stream']);
  await bench.clock.advance(100_000);
  assert.deepEqual(bench.api.asked, ['stream', 'watch 143'], 'goes on from the last bookmark');
  await bench.stop();
});

test('a list body that stops half way: given up after 30 s, then read anew', async () => {
  const api = apiWith('a', 'b', 'c');
  api.canStream = false;
  api.faults.push(
    () => undefined,
    ({ signal }) => answering(new BodyPipe(signal).write('{"items":[')),
  );
  const bench = startReflector({ api });
  await bench.clock.advance(36_000);
  assert.deepEqual(contents(bench.store), truth(api));
  assert.deepEqual(api.asked, ['stream', 'list', 'list', 'list+', 'watch 103']);
  await bench.stop();
});

test('a stream that stops half way: given up after 60 s, then read by pages', async () => {
  const api = apiWith('a', 'b', 'c');
  api.faults.push(({ signal }) => {
    return answering(new BodyPipe(signal).write(line('ADDED', api.set('x'))));
  });
  api.delete('x');
  const bench = startReflector({ api });
  await bench.clock.advance(65_000);
  assert.deepEqual(contents(bench.store), truth(api));
  assert.deepEqual(api.asked.slice(0, 2), ['stream', 'list']);
  await bench.stop();
});

test('a 200 that closes at once: a few watches in 6 s, no list at all', async () => {
  const bench = await synced();
  const closed = () => answering(new BodyPipe().end());
  bench.api.faults.push(...Array(50).fill(closed));
  bench.api.endWatches(({ body }) => body.end());
  await bench.clock.advance(6_000);
  const watches = bench.api.asked.slice(1);
  assert.deepEqual(watches, Array(3).fill('watch 103'));
  await bench.stop();
});

test('a line that cannot be read ends the watch, which goes on from the last good version', async () => {
  const bench = await synced();
  bench.api.endWatches(({ body }) => {
    body.write(line('MODIFIED', bench.api.set('b', 'good'))).write('<html>\n');
  });
  await assertRecovers(bench, 1_600);
  assert.deepEqual(bench.api.asked, ['stream', 'watch 104']);
  await bench.stop();
});

test('an event of an unknown type, or without a name, ends the watch likewise', async () => {
  const bench = await synced();
  for (const [round, odd] of [
    '{"type":"PURGED","object":{}}\n',
    '{"type":"ADDED","object":{"metadata":{}}}\n',
    '{}\n',
  ].entries()) {
    bench.api.endWatches(({ body }) => body.write(odd));
    bench.api.set('a', round);
    await bench.clock.advance(31_000);
    assert.deepEqual(contents(bench.store), truth(bench.api), odd);
  }
  await bench.stop();
});

test('a continue token that expired: the list is read again in one piece', async () => {
  const api = apiWith('a', 'b', 'c');
  api.canStream = false;
  api.faults.push(
    () => undefined,
    () => undefined,
    () => status(410, 'Expired'),
  );
  const bench = await startAndRecover(api);
  assert.deepEqual(api.asked, ['stream', 'list', 'list+', 'list all', 'watch 103']);
  await bench.stop();
});

test('a server restored from a backup is noticed by its bookmark and read anew', async () => {
  const bench = await synced();
  bench.api.version = 50;
  bench.api.history.length = 0;
  bench.api.objects.delete('c');
  bench.api.bookmark();
  await bench.clock.advance(2_000);
  assert.deepEqual(contents(bench.store), truth(bench.api));
  assert.deepEqual(bench.api.asked, ['stream', 'stream']);
  await bench.stop();
});

test('stopping works during a list, a watch and a pause, and leaves no timer and no listener', async () => {
  const during = async (prepare: (api: ScriptedApi) => void, ms: number) => {
    const api = apiWith('a');
    prepare(api);
    const bench = startReflector({ api });
    await bench.clock.advance(ms);
    await bench.stop();
    assert.equal(bench.clock.pendingTimers, 0);
    return bench.api.watches.filter(({ body }) => !body.isOver);
  };
  const stalls = ({ signal }: { signal: AbortSignal }) => {
    return answering(new BodyPipe(signal));
  };
  assert.deepEqual(await during((api) => api.faults.push(hangs), 10), []);
  assert.deepEqual(await during((api) => api.faults.push(stalls), 10), []);
  assert.deepEqual(await during(() => {}, 10), []);
  assert.deepEqual(await during((api) => api.faults.push(connectionRefused), 10), []);
});

test('a signal that lives for ever collects no listeners', async () => {
  const bench = await synced();
  const controller = new AbortController();
  for (let round = 0; round < 50; round += 1) {
    await bench.cluster
      .patch(
        { group: '', version: 'v1', plural: 'services', kind: 'Service', isNamespaced: true },
        { namespace: 'default', name: 'a' },
        { type: 'merge', body: { spec: round } },
        { signal: controller.signal },
      )
      .then((object) => bench.store.put(object));
  }
  assert.equal(getEventListeners(controller.signal, 'abort').length, 0);
  await bench.stop();
});

test('a reflector cannot run twice at once, but again after it stopped', async () => {
  const bench = await synced();
  await assert.rejects(bench.reflector.run(new AbortController().signal), /watched already/);
  await bench.stop();
  bench.api.delete('b');
  const again = new AbortController();
  const running = bench.reflector.run(again.signal);
  await bench.clock.settle();
  assert.deepEqual(contents(bench.store), truth(bench.api));
  again.abort();
  await running;
});
