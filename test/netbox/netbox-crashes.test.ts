import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Fate } from '../../lab/netbox/memory-transport.ts';
import { tenant } from '../../lab/netbox/set-up.ts';
import type { Order } from '../../src/ipam/address-source.ts';
import { NetboxRoom, type NetboxRoomOptions, never } from '../../src/ipam/netbox-room.fixture.ts';
import type { NetboxSource } from '../../src/ipam/netbox-source.ts';
import { ipOf } from '../../src/model/ip.ts';
import { ManualClock } from '../../src/runtime/manual-clock.ts';

const order: Order = {
  pool: 'lb',
  owner: 'uid-1',
  family: 'ipv4',
  service: 'shop/web',
  sharingKey: undefined,
  wish: undefined,
};

const worlds: Readonly<Record<string, NetboxRoomOptions & { readonly order: Order }>> = {
  'the next free address': { prefixes: ['198.51.100.0/30'], order },
  'the next free address of the older release': {
    prefixes: ['198.51.100.0/30'],
    version: '4.2.9',
    order,
  },
  'a reserved address': { spec: { tenant }, order },
  'an address by name': {
    prefixes: ['198.51.100.0/30'],
    order: { ...order, wish: ipOf('198.51.100.2') },
  },
  'a shared address': {
    prefixes: ['198.51.100.0/30'],
    order: { ...order, owner: 'share::k', sharingKey: 'k' },
  },
};

/** Time passes until the promise is settled. */
async function finish<T>(clock: ManualClock, promise: Promise<T>): Promise<T> {
  let isDone = false;
  const end = () => {
    isDone = true;
  };
  promise.then(end, end);
  while (!isDone) await clock.advance(1_000);
  return promise;
}

type Step = (source: NetboxSource, signal: AbortSignal) => Promise<{ readonly kind: string }>;

/** Dies at its n-th request; true if it came so far. */
async function dieAt(
  room: NetboxRoom,
  step: Step,
  n: number,
  fate: Fate,
): Promise<{ readonly hasDied: boolean; readonly kind: string }> {
  const life = new AbortController();
  let count = 0;
  const { source, transport } = room.open({
    fateOf: () => {
      count += 1;
      if (count !== n) return { kind: 'served' };
      // The answer is never heard; with `lost` the request is never sent either.
      queueMicrotask(() => {
        transport.die();
        life.abort(new Error('killed'));
      });
      return fate;
    },
  });
  const clock = room.clock as ManualClock;
  const outcome = await finish(clock, step(source, life.signal)).catch(() => ({ kind: 'killed' }));
  return { hasDied: count >= n, kind: outcome.kind };
}

const fates: readonly Fate[] = [
  { kind: 'lost' },
  { kind: 'unanswered' },
  { kind: 'late', afterMs: 5_000 },
];

for (const [name, { order: wanted, ...options }] of Object.entries(worlds)) {
  test(`killed at every request for ${name}: whoever comes next finishes it`, async (t) => {
    let deaths = 0;
    const allocate: Step = (source, signal) => source.allocate(wanted, signal);
    const release: Step = (source, signal) => source.release(wanted, signal);
    for (const fate of fates) {
      for (let n = 1, isMore = true; isMore; n += 1) {
        const clock = new ManualClock();
        const room = new NetboxRoom({ ...options, clock });
        if (options.spec !== undefined) room.reserve('198.51.100.1/32', '198.51.100.2/32');
        const empty = room.records();
        const taking = await dieAt(room, allocate, n, fate);
        await clock.advance(10_000);
        const first = await finish(clock, room.open().source.allocate(wanted, never));
        assert.ok(first.kind === 'address', `${fate.kind} ${n}: ${JSON.stringify(first)}`);
        const own = room.records().filter((text) => text.includes('cluster-uid'));
        assert.equal(own.length, 1, `${fate.kind} ${n}: ${room.records().join('\n')}`);
        const leaving = await dieAt(room, release, n, fate);
        await clock.advance(10_000);
        await finish(clock, room.open().source.release(wanted, never));
        assert.deepEqual(room.records(), empty, `${fate.kind} ${n}`);
        deaths += Number(taking.hasDied) + Number(leaving.hasDied);
        isMore = taking.hasDied || leaving.hasDied;
      }
    }
    t.diagnostic(`${deaths} deaths`);
    assert.ok(deaths > 15, `${deaths} deaths`);
  });
}
