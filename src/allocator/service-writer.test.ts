import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ServiceDecision } from '../decide/allocation/allocation-plan.ts';
import { ApiError, type ApiErrorFields } from '../kube/api-error.ts';
import type { Cluster } from '../kube/cluster.ts';
import { Store } from '../kube/store.ts';
import type { KubeObject } from '../model/kube-object.ts';
import { ManualClock } from '../runtime/manual-clock.ts';
import { type ServiceWrite, ServiceWriter } from './service-writer.ts';

/** What the server does with a patch: carries it out or not, and answers or not. */
type Turn = 'ok' | 'lost-answer' | 'lost-request' | 'hang' | 'gone' | number;

function failure(fields: Partial<ApiErrorFields>): ApiError {
  const usual = {
    code: 'refused',
    operation: 'patch',
    message: 'no',
    outcome: 'not-done',
  } as const;
  return new ApiError({ ...usual, ...fields });
}

/** One Service called `web` and a server that does with each patch what the next turn says. */
function writing({ turns = [] as Turn[], mostAtOnce = 32 } = {}) {
  const clock = new ManualClock();
  const store = new Store();
  const log: string[] = [];
  let version = 1;
  let annotations: Record<string, string> = {};
  const current = (): KubeObject => ({
    metadata: {
      name: 'web',
      namespace: 'shop',
      uid: 'u1',
      resourceVersion: String(version),
      annotations,
    },
  });
  const change = (value: string) => {
    version += 1;
    annotations = { 'purelb.io/allocated-from': value };
  };
  const carryOut = ({ metadata }: Body) => {
    if (metadata.resourceVersion !== String(version)) throw failure({ status: 409 });
    change(metadata.annotations['purelb.io/allocated-from'] ?? '');
  };
  const disturb = async (turn: Turn, signal: AbortSignal): Promise<void> => {
    if (turn === 'hang') await hang(signal);
    if (turn !== 'gone') return;
    store.remove(current());
    writer.forget('shop/web');
    throw failure({ status: 404 });
  };
  const patch = async (body: Body, signal: AbortSignal): Promise<KubeObject> => {
    const turn = turns.shift() ?? 'ok';
    log.push(`patch at ${clock.monotonic()}`);
    await disturb(turn, signal);
    if (typeof turn === 'number') throw failure({ status: turn });
    if (turn !== 'lost-request') carryOut(body);
    if (turn !== 'ok') throw failure({ code: 'interrupted', outcome: 'unknown' });
    return current();
  };
  const cluster = {
    patch: (_: unknown, __: unknown, patched: { body: Body }, options: { signal: AbortSignal }) =>
      patch(patched.body, options.signal),
    get: async () => {
      log.push('get');
      return current();
    },
  } as unknown as Cluster;
  store.put(current());
  const leadership = new AbortController();
  let isCurrent = true;
  const writer = new ServiceWriter({
    cluster,
    store,
    clock,
    random: () => 0,
    mostAtOnce,
    writesForMs: () => (isCurrent ? Infinity : 0),
    onWritten: ({ key }, isAsWanted) => log.push(`written ${key}${isAsWanted ? '' : ', changed'}`),
    onRefused: ({ key }, error) => log.push(`refused ${key} ${(error as ApiError).status}`),
    onGivenUp: () => log.push('given up'),
  });
  writer.begin(leadership.signal);
  const write = (name = 'web'): ServiceWrite => ({
    key: `shop/${name}`,
    object: { ...current(), metadata: { ...current().metadata, name } },
    part: 'status',
    body: {
      metadata: {
        uid: 'u1',
        resourceVersion: String(version),
        annotations: { 'purelb.io/allocated-from': 'default' },
      },
    },
    decision: {} as ServiceDecision,
    plannedAt: 0,
  });
  const setCurrent = (is: boolean) => {
    isCurrent = is;
  };
  return { clock, store, log, writer, write, change, leadership, current, setCurrent };
}

function hang(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

interface Body {
  readonly metadata: {
    readonly resourceVersion: string;
    readonly annotations: Readonly<Record<string, string>>;
  };
}

test('a write is pending until it is answered, and then at once in the store', async () => {
  const { clock, store, log, writer, write } = writing();
  writer.submit(write());
  assert.deepEqual([...writer.pending.keys()], ['shop/web']);
  await clock.settle();
  assert.deepEqual([...writer.pending.keys()], []);
  assert.equal(store.get('shop/web')?.metadata.resourceVersion, '2');
  assert.deepEqual(log, ['patch at 0', 'written shop/web']);
});

test('of two plans for one Service the second waits for the end of the first', async () => {
  const { clock, log, writer, write } = writing();
  writer.submit(write());
  writer.submit(write());
  await clock.settle();
  assert.deepEqual(log, ['patch at 0', 'written shop/web']);
});

test('what changed since the plan is not written at all', async () => {
  const { clock, store, log, writer, write, change, current } = writing();
  const planned = write();
  change('other');
  store.put(current());
  writer.submit(planned);
  await clock.settle();
  assert.deepEqual(log, ['given up']);
});

test('after a conflict nothing is repeated until the Service has changed, or a while has passed', async () => {
  const { clock, store, log, writer, write, change, current } = writing();
  const planned = write();
  change('other');
  writer.submit(planned);
  await clock.settle();
  writer.submit(planned);
  await clock.settle();
  assert.deepEqual(log, ['patch at 0', 'given up']);
  assert.equal(writer.nextTryAt(), 200);
  store.put(current());
  writer.submit(write());
  await clock.settle();
  assert.deepEqual(log.slice(2), ['patch at 0', 'written shop/web']);
});

test('when the answer is lost it looks, and finds the write carried out', async () => {
  const { clock, store, log, writer, write } = writing({ turns: ['lost-answer'] });
  writer.submit(write());
  await clock.settle();
  assert.equal(writer.pending.size, 1, 'its addresses stay taken');
  await clock.advance(200);
  assert.deepEqual(log, ['patch at 0', 'get', 'written shop/web']);
  assert.equal(store.get('shop/web')?.metadata.resourceVersion, '2');
});

test('when the request was lost the very same is sent again', async () => {
  const { clock, log, writer, write } = writing({ turns: ['lost-request'] });
  writer.submit(write());
  await clock.advance(200);
  assert.deepEqual(log, ['patch at 0', 'get', 'patch at 200', 'written shop/web']);
});

test('when somebody else wrote meanwhile, an unclear write is over', async () => {
  const { clock, store, log, writer, write, change } = writing({ turns: ['lost-request'] });
  writer.submit(write());
  await clock.settle();
  change('other');
  await clock.advance(200);
  assert.deepEqual(log, ['patch at 0', 'get', 'given up']);
  assert.equal(store.get('shop/web')?.metadata.resourceVersion, '2');
});

test('a server that cannot take anything now is left alone for a moment', async () => {
  const { clock, log, writer, write } = writing({ turns: [503, 429] });
  writer.submit(write());
  await clock.advance(300);
  const expected = ['patch at 0', 'patch at 100', 'patch at 300', 'written shop/web'];
  assert.deepEqual(log, expected);
});

test('a refusal is told, and tried again ever more rarely', async () => {
  const { clock, log, writer, write } = writing({ turns: [422, 422] });
  writer.submit(write());
  await clock.settle();
  assert.deepEqual(log, ['patch at 0', 'refused shop/web 422', 'given up']);
  await clock.advance(200);
  writer.submit(write());
  await clock.settle();
  assert.equal(writer.nextTryAt(), 600);
});

test('no more than so many are under way at once', async () => {
  const { clock, log, writer, write } = writing({ turns: ['hang', 'ok'], mostAtOnce: 1 });
  writer.submit(write());
  writer.submit(write('web2'));
  await clock.advance(1_000);
  assert.deepEqual(log, ['patch at 0']);
  assert.equal(writer.pending.size, 2);
});

test('an end in good order awaits what was sent, and sends nothing more', async () => {
  const { clock, log, writer, write, leadership } = writing({ turns: ['hang'], mostAtOnce: 1 });
  writer.submit(write());
  writer.submit(write('web2'));
  await clock.settle();
  leadership.abort();
  let isOver = false;
  const ended = writer.end(5_000).then(() => {
    isOver = true;
  });
  await clock.advance(4_999);
  assert.equal(isOver, false);
  await clock.advance(1);
  await ended;
  assert.deepEqual(log, ['patch at 0', 'given up', 'given up']);
  writer.submit(write());
  await clock.settle();
  assert.equal(log.length, 3);
});

test('who has lost the leadership drops everything at once', async () => {
  const { clock, log, writer, write, leadership } = writing({ turns: ['hang'] });
  writer.submit(write());
  await clock.settle();
  leadership.abort();
  await writer.end(0);
  assert.deepEqual([log, writer.pending.size], [['patch at 0', 'given up'], 0]);
});

test('who no longer leads by the clock sends nothing', async () => {
  const { clock, log, writer, write, setCurrent, leadership } = writing();
  setCurrent(false);
  writer.submit(write());
  await clock.advance(1_000);
  assert.deepEqual(log, []);
  leadership.abort();
  await clock.settle();
  assert.deepEqual(log, ['given up']);
});

test('a Service that is gone before its write was answered leaves nothing behind', async () => {
  const { clock, log, writer, write } = writing({ turns: ['gone'] });
  writer.submit(write());
  await clock.settle();
  assert.deepEqual(log, ['patch at 0', 'given up']);
  assert.equal(writer.nextTryAt(), Infinity);
});

test('a Service that the server no longer has is not asked for again and again', async () => {
  const { clock, log, writer, write } = writing({ turns: [404] });
  writer.submit(write());
  await clock.settle();
  writer.submit(write());
  await clock.settle();
  assert.deepEqual(log, ['patch at 0', 'given up']);
  assert.equal(writer.nextTryAt(), 200);
});

test('an answer that cannot be read does not make later news look like our own', async () => {
  const { clock, writer, write, store } = writing();
  store.put = () => {
    throw new Error('cannot be read');
  };
  writer.submit(write());
  await clock.settle();
  assert.equal(writer.isPutting, false);
});
