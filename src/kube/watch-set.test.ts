import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sleep } from '../runtime/clock.ts';
import { ManualClock } from '../runtime/manual-clock.ts';
import { HttpCluster } from './http-cluster.ts';
import { nodes, services } from './resources.ts';
import { connectionRefused, connectionReset, ScriptedApi, status } from './scripted-api.fixture.ts';
import type { Transport, TransportRequest, TransportResponse } from './transport.ts';
import { WatchSet } from './watch-set.ts';

type Answer = (kind: string, nowMs: number) => TransportResponse | Error | 'breaks' | undefined;

const answerMs = 10;
/** A connection that breaks does so after a while. */
const breaksAfterMs = 500;

/** Services and Nodes, watched from a server that answers as the test says; undefined lets it answer as it should. */
async function watchBoth(answer: Answer) {
  const clock = new ManualClock();
  const startedAt = clock.monotonic();
  const apis = { services: new ScriptedApi(), nodes: new ScriptedApi() };
  const asked: string[] = [];
  const transport: Transport = {
    exchange: async (request: TransportRequest) => {
      const path = new URL(request.path, 'http://api').pathname;
      const kind = path.endsWith('/nodes') ? 'nodes' : 'services';
      asked.push(`${kind} ${(clock.monotonic() - startedAt) / 1000}`);
      const found = answer(kind, clock.monotonic() - startedAt);
      await sleep(clock, found === 'breaks' ? breaksAfterMs : answerMs);
      if (found === 'breaks') throw connectionReset();
      if (found instanceof Error) throw found;
      return found ?? apis[kind].exchange(request);
    },
  };
  const set = new WatchSet({
    cluster: new HttpCluster({ transport, clock }),
    clock,
    random: () => 0,
    observe: () => {},
    onListenerError: (error) => assert.fail(String(error)),
  });
  for (const resource of [services, nodes]) set.add(resource, (object) => object);
  const stopping = new AbortController();
  const running = set.run(stopping.signal);
  await clock.settle();
  const stop = async () => {
    stopping.abort();
    await running;
  };
  return { clock, set, asked, apis, stop };
}

test('when one watch is answered after an outage, the others do not wait for the end of their back-off', async () => {
  // The outage ends after 10 s, while one more connection is under way that breaks.
  const { clock, set, stop } = await watchBoth((kind, now) => {
    if (now < 10_000) return connectionRefused();
    return kind === 'nodes' && now < 12_000 ? 'breaks' : undefined;
  });
  await clock.advance(11_800);
  assert.deepEqual(set.unsynced, ['nodes']);
  await clock.advance(2_000);
  assert.deepEqual(set.unsynced, []);
  await stop();
});

test('no watch waits for longer than 10 s after the API server is back', async () => {
  const { clock, set, stop } = await watchBoth((_, now) =>
    now < 300_000 ? connectionRefused() : undefined,
  );
  await clock.advance(299_000);
  assert.deepEqual(set.unsynced, ['services', 'nodes']);
  await clock.advance(11_000);
  assert.deepEqual(set.unsynced, []);
  await stop();
});

test('watches that break as soon as they are open do not wake each other without a pause', async () => {
  const { clock, asked, apis, stop } = await watchBoth(() => undefined);
  const before = asked.length;
  for (let ms = 0; ms < 60_000; ms += 100) {
    for (const api of Object.values(apis)) {
      api.bookmark();
      await clock.settle();
      api.endWatches(({ body }) => body.fail(connectionReset()));
    }
    await clock.advance(100);
  }
  const tries = asked.length - before;
  assert.ok(tries <= (2 * 60) / 0.8, `${tries} in a minute`);
  await stop();
});

test('a watch that the API server told when to come back is not woken earlier', async () => {
  const { clock, asked, stop } = await watchBoth((kind, now) => {
    if (kind === 'nodes' && now < 1_000)
      return status(429, 'TooManyRequests', { 'retry-after': '30' });
    return now < 1_000 ? connectionRefused() : undefined;
  });
  await clock.advance(29_000);
  assert.deepEqual(
    asked.filter((each) => each.startsWith('nodes')),
    ['nodes 0'],
  );
  await clock.advance(2_000);
  assert.equal(asked.filter((each) => each.startsWith('nodes')).length > 1, true);
  await stop();
});
