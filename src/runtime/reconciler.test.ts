import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { sleep } from './clock.ts';
import { ManualClock } from './manual-clock.ts';
import {
  type ReconcileResult,
  Reconciler,
  type ReconcilerOptions,
  type Rest,
} from './reconciler.ts';

type Work = (key: string, signal: AbortSignal, clock: ManualClock) => Promise<ReconcileResult>;

/** A reconciler whose runs and failures are written down with their times. */
function start(work: Work, options: Partial<ReconcilerOptions<string>> = {}) {
  const clock = new ManualClock();
  const diary: string[] = [];
  const reconciler = new Reconciler({
    clock,
    reconcile: (key, signal) => {
      diary.push(`${key}@${clock.monotonic()}`);
      return work(key, signal, clock);
    },
    onError: ({ key, error, failures, retryInMs }) => {
      diary.push(`${key} failed ${failures}× (${(error as Error).message}), again in ${retryInMs}`);
    },
    random: () => 0,
    ...options,
  });
  return { clock, diary, reconciler };
}

const nothing: Work = async () => ({});
const fail: Work = async () => {
  throw new Error('no');
};
const take =
  (ms: number): Work =>
  async (_key, _signal, clock) => {
    await sleep(clock, ms);
    return {};
  };

test('wakes of one name merge into one run, in order of the first wake', async () => {
  const { clock, diary, reconciler } = start(nothing);
  for (const key of ['b', 'a', 'b', 'b', 'a']) reconciler.wake(key);
  assert.deepEqual(diary, []);
  await clock.settle();
  assert.deepEqual(diary, ['b@0', 'a@0']);
});

test('a program with one thing to do wakes one name', async () => {
  const runs: 'all'[] = [];
  const clock = new ManualClock();
  const reconciler = new Reconciler<'all'>({
    clock,
    reconcile: async (key) => {
      runs.push(key);
      return {};
    },
    onError: ({ error }) => assert.fail(String(error)),
  });
  reconciler.wake('all');
  reconciler.wake('all');
  await clock.settle();
  assert.deepEqual(runs, ['all']);
});

test('one runs at a time; who is woken while running runs again, after those who waited', async () => {
  const { clock, diary, reconciler } = start(take(10));
  reconciler.wake('a');
  reconciler.wake('b');
  await clock.advance(5);
  assert.deepEqual(reconciler.state, { running: { key: 'a', since: 0 }, ready: 1, failing: [] });
  reconciler.wake('a');
  reconciler.wake('a');
  await clock.advance(100);
  assert.deepEqual(diary, ['a@0', 'b@10', 'a@20']);
  assert.deepEqual(reconciler.state, { ready: 0, failing: [] });
});

test('in a storm of wakes it rests longer than it ran, up to a limit; one alone does not wait', async () => {
  const rest = { times: 2, longestMs: 100, mostHurried: 3 };
  const { clock, diary, reconciler } = start(take(20), { rest });
  for (let at = 0; at < 200; at += 10) {
    reconciler.wake('a');
    await clock.advance(10);
  }
  await clock.advance(1_000);
  reconciler.wake('a');
  await clock.settle();
  assert.deepEqual(diary, ['a@0', 'a@60', 'a@120', 'a@180', 'a@240', 'a@1200']);
  const slow = start(take(300), { rest });
  slow.reconciler.wake('a');
  await slow.clock.advance(10);
  slow.reconciler.wake('a');
  await slow.clock.advance(1_000);
  assert.deepEqual(slow.diary, ['a@0', 'a@400']);
});

test('what is in a hurry or due by the clock cuts a rest short; what can wait merges with it', async () => {
  const rest = { times: 10, longestMs: 1_000, mostHurried: 3 };
  const answers: ReconcileResult[] = [{}, { wakeAt: 230 }, { wakeAt: 260 }];
  const work: Work = async (...args) => {
    await take(20)(...args);
    return answers.shift() ?? {};
  };
  const { clock, diary, reconciler } = start(work, { rest });
  reconciler.wake('a');
  await clock.advance(30);
  reconciler.wake('a');
  await clock.advance(20);
  reconciler.hurry('a');
  await clock.advance(10);
  reconciler.wake('a');
  await clock.advance(30);
  reconciler.wake('a');
  await clock.advance(1_000);
  assert.deepEqual(diary, ['a@0', 'a@50', 'a@230', 'a@260']);
});

test('who hurries itself with every run rests after a few, for as long as it ran', async () => {
  const rest = { times: 10, longestMs: 100, mostHurried: 3 };
  const work: Work = (key, ...args) => {
    reconciler.hurry(key);
    return take(20)(key, ...args);
  };
  const { clock, diary, reconciler } = start(work, { rest });
  reconciler.wake('a');
  await clock.advance(300);
  assert.deepEqual(diary, [
    'a@0',
    'a@20',
    'a@40',
    'a@60',
    'a@100',
    'a@140',
    'a@180',
    'a@220',
    'a@260',
    'a@300',
  ]);
});

test('a result may ask for the next run', async () => {
  const answers: ReconcileResult[] = [{ wakeAt: 50 }, { wakeAt: 80 }];
  const { clock, diary, reconciler } = start(async () => answers.shift() ?? {});
  reconciler.wake('a');
  await clock.advance(1000);
  assert.deepEqual(diary, ['a@0', 'a@50', 'a@80']);
});

test('an earlier wake replaces the planned run, and its result the plan', async () => {
  const answers: ReconcileResult[] = [{ wakeAt: 50 }, { wakeAt: 200 }, {}];
  const { clock, diary, reconciler } = start(async () => answers.shift() ?? {});
  reconciler.wake('a');
  await clock.advance(20);
  reconciler.wake('a');
  await clock.advance(1000);
  assert.deepEqual(diary, ['a@0', 'a@20', 'a@200']);
  assert.equal(clock.pendingTimers, 0);
});

test('a name woken while it runs forgets the time that run asked for', async () => {
  const answers: ReconcileResult[] = [{ wakeAt: 500 }, {}];
  const { clock, diary, reconciler } = start(async (_key, _signal, clock) => {
    await sleep(clock, 10);
    return answers.shift() ?? {};
  });
  reconciler.wake('a');
  await clock.advance(5);
  reconciler.wake('a');
  await clock.advance(1000);
  assert.deepEqual(diary, ['a@0', 'a@10']);
});

test('a time in the past makes no busy loop', async () => {
  const { clock, diary, reconciler } = start(async () => ({ wakeAt: -1 }), { shortestWaitMs: 10 });
  reconciler.wake('a');
  await clock.advance(35);
  assert.deepEqual(diary, ['a@0', 'a@10', 'a@20', 'a@30']);
});

test('a time that is no number counts as a failure', async () => {
  const { clock, diary, reconciler } = start(async () => ({ wakeAt: Number.NaN }));
  reconciler.wake('a');
  await clock.settle();
  assert.match(diary[1] ?? '', /^a failed 1× \(a delay must be a number/);
});

test('failures are tried again ever later, up to a limit, and forgotten on success', async () => {
  let isBroken = true;
  const { clock, diary, reconciler } = start(
    async () => {
      if (isBroken) throw new Error('no');
      return {};
    },
    { backoff: { firstMs: 100, factor: 2, longestMs: 300, jitter: 0 } },
  );
  reconciler.wake('a');
  await clock.advance(650);
  isBroken = false;
  await clock.advance(1000);
  isBroken = true;
  reconciler.wake('a');
  await clock.settle();
  assert.deepEqual(diary, [
    'a@0',
    'a failed 1× (no), again in 100',
    'a@100',
    'a failed 2× (no), again in 200',
    'a@300',
    'a failed 3× (no), again in 300',
    'a@600',
    'a failed 4× (no), again in 300',
    'a@900',
    'a@1650',
    'a failed 1× (no), again in 100',
  ]);
});

test('a function that throws before it returns a promise has failed like any other', async () => {
  const { clock, diary, reconciler } = start(() => {
    throw new Error('at once');
  });
  reconciler.wake('a');
  await clock.settle();
  assert.deepEqual(diary, ['a@0', 'a failed 1× (at once), again in 100']);
});

test('a failing name holds up no other', async () => {
  const { clock, diary, reconciler } = start((key, signal, clock) =>
    (key === 'bad' ? fail : nothing)(key, signal, clock),
  );
  reconciler.wake('bad');
  reconciler.wake('good');
  await clock.settle();
  assert.deepEqual(diary, ['bad@0', 'bad failed 1× (no), again in 100', 'good@0']);
  assert.deepEqual(reconciler.state, { ready: 0, failing: ['bad'] });
});

test('a wake brings a long back-off to its end, yet never nearer than the first delay', async () => {
  const backoff = { firstMs: 100, factor: 100, longestMs: 10_000, jitter: 0 };
  const { clock, diary, reconciler } = start(fail, { backoff });
  reconciler.wake('a');
  await clock.advance(150);
  reconciler.wake('a');
  await clock.advance(450);
  reconciler.wake('a');
  await clock.settle();
  assert.deepEqual(
    diary.filter((line) => line.includes('@')),
    ['a@0', 'a@100', 'a@200', 'a@600'],
  );
});

test('a name that wakes itself and fails does not spin', async () => {
  const { clock, diary, reconciler } = start(async (key) => {
    reconciler.wake(key);
    throw new Error('no');
  });
  reconciler.wake('a');
  await clock.advance(1000);
  assert.equal(diary.filter((line) => line.startsWith('a@')).length, 11);
});

test('chance shortens the back-off', async () => {
  const { clock, diary, reconciler } = start(fail, { random: () => 0.5 });
  reconciler.wake('a');
  await clock.settle();
  assert.deepEqual(diary, ['a@0', 'a failed 1× (no), again in 85']);
});

test('stop aborts and awaits the running one, and nothing runs afterwards', async () => {
  const ends: string[] = [];
  const { clock, diary, reconciler } = start(async (key, signal, clock) => {
    if (key === 'planned') return { wakeAt: 1_000 };
    await sleep(clock, 100);
    ends.push(`${key} ended, aborted: ${signal.aborted}`);
    return { wakeAt: 500 };
  });
  reconciler.wake('planned');
  reconciler.wake('running');
  reconciler.wake('waiting');
  await clock.advance(10);
  let isStopped = false;
  const stopping = reconciler.stop().then(() => {
    isStopped = true;
  });
  reconciler.wake('late');
  await clock.settle();
  assert.equal(isStopped, false);
  await clock.advance(90);
  assert.equal(isStopped, true);
  await stopping;
  reconciler.wake('later');
  await clock.advance(10_000);
  await reconciler.stop();
  assert.deepEqual(diary, ['planned@0', 'running@0']);
  assert.deepEqual(ends, ['running ended, aborted: true']);
  assert.equal(clock.pendingTimers, 0);
});

test('stop before the first turn runs nothing', async () => {
  const { clock, diary, reconciler } = start(nothing);
  reconciler.wake('a');
  await reconciler.stop();
  await clock.advance(100);
  assert.deepEqual(diary, []);
});

test('being aborted by stop is no error; another failure then is one, without a retry', async () => {
  for (const [error, lines] of [
    [undefined, ['a@0']],
    [new Error('broken'), ['a@0', 'a failed 1× (broken), again in undefined']],
  ] as const) {
    const { clock, diary, reconciler } = start(async (_key, signal, clock) => {
      await sleep(clock, 1_000, signal).catch((reason: unknown) => {
        throw error ?? reason;
      });
      return {};
    });
    reconciler.wake('a');
    await clock.settle();
    await reconciler.stop();
    await clock.advance(10_000);
    assert.deepEqual(diary, lines);
  }
});

/** At some time each name is woken, or in a hurry; each run takes a while and ends somehow. */
const worlds = fc.record({
  wakes: fc.array(
    fc.record({
      at: fc.nat(2_000),
      key: fc.constantFrom('a', 'b', 'c'),
      how: fc.constantFrom('wake' as const, 'hurry' as const),
    }),
    { maxLength: 40 },
  ),
  rest: fc.constantFrom(undefined, { times: 3, longestMs: 100, mostHurried: 2 }),
  runs: fc.array(
    fc.record({
      ms: fc.oneof(fc.constant(0), fc.nat(60)),
      end: fc.constantFrom('done', 'fail', 'again soon', 'again in the past', 'wakes itself'),
    }),
    { maxLength: 60 },
  ),
});

class World {
  readonly #script: { readonly ms: number; readonly end: string }[];
  readonly #lastStart = new Map<string, number>();
  readonly #lastWake = new Map<string, number>();
  readonly #started: ReturnType<typeof start>;
  #sequence = 0;
  #runningNow = 0;
  mostAtOnce = 0;

  constructor(runs: readonly { readonly ms: number; readonly end: string }[], rest?: Rest) {
    this.#script = [...runs];
    this.#started = start((key) => this.#run(key), rest === undefined ? {} : { rest });
  }

  get clock(): ManualClock {
    return this.#started.clock;
  }

  get reconciler(): Reconciler {
    return this.#started.reconciler;
  }

  get runCount(): number {
    return this.#started.diary.filter((line) => line.includes('@')).length;
  }

  get lostWakes(): readonly string[] {
    return [...this.#lastWake]
      .filter(([key, woken]) => (this.#lastStart.get(key) ?? -1) < woken)
      .map(([key]) => key);
  }

  wake(key: string, how: 'wake' | 'hurry' = 'wake'): void {
    this.#lastWake.set(key, this.#sequence++);
    this.reconciler[how](key);
  }

  async #run(key: string): Promise<ReconcileResult> {
    const { ms, end } = this.#script.shift() ?? { ms: 0, end: 'done' };
    this.#lastStart.set(key, this.#sequence++);
    this.mostAtOnce = Math.max(this.mostAtOnce, ++this.#runningNow);
    if (ms > 0) await sleep(this.clock, ms);
    this.#runningNow--;
    return this.#end(key, end);
  }

  #end(key: string, end: string): ReconcileResult {
    if (end === 'fail') throw new Error('no');
    if (end === 'wakes itself') this.wake(key);
    if (end === 'again soon') return { wakeAt: this.clock.monotonic() + 20 };
    return end === 'again in the past' ? { wakeAt: 0 } : {};
  }
}

test('whatever happens: never two at once, no wake lost, no busy loop', async () => {
  await fc.assert(
    fc.asyncProperty(worlds, async ({ wakes, runs, rest }) => {
      const world = new World(runs, rest);
      for (const { at, key, how } of wakes) world.clock.after(at, () => world.wake(key, how));
      await world.clock.advance(200_000);
      assert.ok(world.mostAtOnce <= 1, 'never two at once');
      assert.deepEqual(world.lostWakes, []);
      // Each wake and each end of a run causes at most one run.
      assert.ok(world.runCount <= wakes.length + runs.length, `${world.runCount} runs`);
      assert.deepEqual(world.reconciler.state, { ready: 0, failing: [] });
      assert.equal(world.clock.pendingTimers, 0);
    }),
    { numRuns: 300 },
  );
});
