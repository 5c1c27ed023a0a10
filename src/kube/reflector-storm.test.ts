/** Random histories under random faults: nothing is lost, nothing comes out of order, and the end is the truth. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { answering, BodyPipe } from './body-pipe.fixture.ts';
import { mergePatch } from './patch.ts';
import { contents, type ReflectorBench, startReflector, truth } from './reflector.fixture.ts';
import { services } from './resources.ts';
import {
  connectionRefused,
  connectionReset,
  type Fault,
  hangs,
  line,
  type OpenWatch,
  status,
} from './scripted-api.fixture.ts';

type Step = (bench: ReflectorBench) => unknown;

const name = fc.constantFrom('a', 'b', 'c', 'd', 'e');

const changes: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: name.map(
      (each): Step =>
        ({ api }) =>
          api.set(each, api.version),
    ),
  },
  {
    weight: 2,
    arbitrary: name.map(
      (each): Step =>
        ({ api }) =>
          api.delete(each),
    ),
  },
  {
    weight: 1,
    arbitrary: name.map(
      (each): Step =>
        ({ api }) => {
          api.delete(each);
          api.set(each, 'reborn');
        },
    ),
  },
);

const time: fc.Arbitrary<Step> = fc.oneof(fc.nat(50), fc.nat(4_000), fc.nat(100_000)).map(
  (ms): Step =>
    ({ clock }) =>
      clock.advance(ms),
);

/** A write of ours whose answer comes whenever it comes, and in half of the cases is lost on the way. */
const ownWrites: fc.Arbitrary<Step> = fc.tuple(name, fc.boolean(), fc.boolean()).map(
  ([each, isDelete, isLost]): Step =>
    (bench) => {
      const write = isDelete ? ownDelete(bench, each, isLost) : ownPatch(bench, each, isLost);
      write.catch(() => {});
    },
);

async function ownPatch({ api, cluster, store }: ReflectorBench, each: string, isLost: boolean) {
  const body = mergePatch({ spec: `own ${api.version}` });
  const answer = await cluster.patch(services, { namespace: 'default', name: each }, body);
  if (!isLost) store.put(answer);
}

async function ownDelete({ api, cluster, store }: ReflectorBench, each: string, isLost: boolean) {
  const known = store.get(`default/${each}`);
  if (known === undefined || known.metadata.uid !== api.objects.get(each)?.metadata.uid) return;
  await cluster.delete(services, { namespace: 'default', name: each });
  if (!isLost) store.remove(known);
}

const errorEvent = (code: number, reason: string) =>
  line('ERROR', { kind: 'Status', code, reason, message: 'storm' });

const watchEnds: Readonly<Record<string, (watch: OpenWatch) => unknown>> = {
  end: ({ body }) => body.end(),
  reset: ({ body }) => body.fail(connectionReset()),
  garbage: ({ body }) => body.write('<html>\n'),
  'half a line': ({ body }) => body.write('{"type":"ADDED","obj').fail(connectionReset()),
  'half a line and a graceful end': ({ body }) => body.write('{"ty').end(),
  silence: () => {},
};

const expiries: Readonly<Record<string, (watch: OpenWatch) => unknown>> = {
  'error 410': ({ body }) => body.write(errorEvent(410, 'Expired')),
  'error 500': ({ body }) => body.write(errorEvent(500, 'InternalError')),
};

const ends = (how: Readonly<Record<string, (watch: OpenWatch) => unknown>>) =>
  fc.constantFrom(...Object.values(how)).map(
    (end): Step =>
      ({ api }) =>
        api.endWatches(end),
  );

/** Faults that never call for a new list, however often they come. */
const passing: readonly Fault[] = [
  connectionRefused,
  connectionReset,
  hangs,
  () => status(429, 'TooManyRequests', { 'retry-after': '3' }),
  () => status(503, 'ServiceUnavailable'),
  () => status(401, 'Unauthorized'),
  () => answering(new BodyPipe().end()),
  ({ signal }) => answering(new BodyPipe(signal)),
];

const others: readonly Fault[] = [
  () => status(500, 'InternalError'),
  () => status(410, 'Expired'),
  () => ({ status: 502, headers: {}, body: new BodyPipe().write('<html>bad gateway').end().read }),
  ({ signal }) => answering(new BodyPipe(signal).write('{"items":[')),
  () => answering(new BodyPipe().write('not JSON\n').end()),
];

const faults = (some: readonly Fault[]) =>
  fc.array(fc.constantFrom(...some), { minLength: 1, maxLength: 4 }).map(
    (each): Step =>
      ({ api }) =>
        api.faults.push(...each),
  );

const serverMoods: fc.Arbitrary<Step> = fc.constantFrom<Step>(
  ({ api }) => api.compact(),
  ({ api }) => api.bookmark(),
  ({ api }) => {
    api.canStream = !api.canStream;
  },
);

/** Follows every notice and fails at the first that does not fit to the one before. */
function checkOrder({ store }: ReflectorBench): void {
  const versions = new Map<string, number>();
  store.subscribe((key, before, after) => {
    const known = versions.get(key);
    const shown = Number(before?.metadata.resourceVersion ?? Number.NaN);
    assert.equal(shown, known ?? Number.NaN, `${key}: told a change from what it was not`);
    if (after === undefined) versions.delete(key);
    else versions.set(key, Number(after.metadata.resourceVersion));
    if (after !== undefined && before !== undefined) {
      assert.ok(Number(after.metadata.resourceVersion) > shown, `${key} went back`);
    }
  });
}

async function calmDown({ api, clock }: ReflectorBench): Promise<void> {
  api.faults.length = 0;
  for (let minute = 0; minute < 15; minute += 1) {
    await clock.advance(60_000);
    api.bookmark();
  }
  await clock.settle();
}

test('whatever happens, the store ends up equal to the server, and never told a change out of order', async () => {
  const step = fc.oneof(
    { weight: 5, arbitrary: changes },
    { weight: 4, arbitrary: time },
    { weight: 2, arbitrary: ownWrites },
    { weight: 2, arbitrary: ends({ ...watchEnds, ...expiries }) },
    { weight: 2, arbitrary: faults([...passing, ...others]) },
    { weight: 1, arbitrary: serverMoods },
  );
  const history = fc.array(step, { maxLength: 60, size: 'max' });
  await fc.assert(
    fc.asyncProperty(
      history,
      fc.double({ min: 0, max: 0.99, noNaN: true }),
      async (steps, chance) => {
        const bench = startReflector({ random: () => chance });
        checkOrder(bench);
        for (const each of steps) await each(bench);
        await calmDown(bench);
        assert.deepEqual(contents(bench.store), truth(bench.api));
        assert.equal(bench.store.unconfirmed, 0);
        await bench.stop();
        assert.equal(bench.clock.pendingTimers, 0);
      },
    ),
    { numRuns: 300 },
  );
});

test('as long as the server keeps its history, every single change is told exactly once, in order', async () => {
  const step = fc.oneof(
    { weight: 5, arbitrary: changes },
    { weight: 4, arbitrary: time },
    { weight: 2, arbitrary: ends(watchEnds) },
    { weight: 2, arbitrary: faults(passing) },
    { weight: 1, arbitrary: fc.constant<Step>(({ api }) => api.bookmark()) },
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60, size: 'max' }), async (steps) => {
      const bench = startReflector();
      await bench.clock.settle();
      const told: string[] = [];
      bench.store.subscribe((_, before, after) => {
        const object = after ?? before;
        const { uid, resourceVersion } = object?.metadata ?? {};
        told.push(after === undefined ? `gone ${uid}` : `${uid} ${resourceVersion}`);
      });
      for (const each of steps) await each(bench);
      await calmDown(bench);
      const lists = bench.observed.filter(({ kind }) => kind === 'synced').length;
      // Unreadable lines five times in a row are a reason to read everything anew; then nothing can be promised.
      fc.pre(lists === 1);
      assert.deepEqual(
        told,
        bench.api.history.map(({ type, object: { metadata } }) =>
          type === 'DELETED'
            ? `gone ${metadata.uid}`
            : `${metadata.uid} ${metadata.resourceVersion}`,
        ),
      );
      await bench.stop();
    }),
    { numRuns: 300 },
  );
});
