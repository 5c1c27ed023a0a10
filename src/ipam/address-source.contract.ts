/** What holds for every address source, whoever's it is: run on the fake, on the emulation and on the real thing. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Family, familyOf, type Ip, ipOf } from '../model/ip.ts';
import type { Prefix } from '../model/prefix.ts';
import type { AddressSource, AllocateOutcome, Order, Slot } from './address-source.ts';

/** A source with a pool of its own in which nothing is given out yet. */
export interface SourceRoom {
  readonly source: AddressSource;
  readonly pool: string;
  /** Exactly these can be had. */
  readonly addresses: readonly Ip[];
  /** It can be told which address is wanted. */
  readonly takesWishes: boolean;
  /** Only one may ask at a time. */
  readonly isForOneWriter?: boolean;
  close(): Promise<void>;
}

type OpenRoom = () => Promise<SourceRoom>;

const never = new AbortController().signal;

class Tester {
  readonly room: SourceRoom;

  constructor(room: SourceRoom) {
    this.room = room;
  }

  slot(owner: string, family: Family = 'ipv4', more: Partial<Slot> = {}): Slot {
    const { pool } = this.room;
    return { pool, owner, family, service: `shop/${owner}`, sharingKey: undefined, ...more };
  }

  allocate(owner: string, more: Partial<Order> = {}): Promise<AllocateOutcome> {
    const order = { ...this.slot(owner), wish: undefined, ...more };
    return this.room.source.allocate(order, never);
  }

  async take(owner: string, more: Partial<Order> = {}): Promise<Prefix> {
    const outcome = await this.allocate(owner, more);
    assert.ok(outcome.kind === 'address', JSON.stringify(outcome));
    return outcome.address;
  }

  async release(owner: string, family: Family = 'ipv4'): Promise<void> {
    const outcome = await this.room.source.release(this.slot(owner, family), never);
    assert.deepEqual(outcome, { kind: 'released' });
  }

  /** What is in the slot; `unknown` where the source cannot say. */
  async look(owner: string, family: Family = 'ipv4'): Promise<string> {
    const outcome = await this.room.source.find(this.slot(owner, family), never);
    return outcome.kind === 'found' ? outcome.address.ip : outcome.kind;
  }

  of(family: Family): readonly Ip[] {
    return this.room.addresses.filter((ip) => familyOf(ip) === family);
  }
}

const families = ['ipv4', 'ipv6'] as const;

/** Tests are named after the source. */
export function testAddressSource(name: string, open: OpenRoom): void {
  const check: Check = (sentence, run) => {
    test(`${name}: ${sentence}`, async () => {
      const room = await open();
      try {
        await run(new Tester(room));
      } finally {
        await room.close();
      }
    });
  };
  testSlots(check);
  testWishes(check);
  testBooks(check);
}

type Check = (sentence: string, run: (tester: Tester) => Promise<void>) => void;

function testSlots(check: Check): void {
  check('who asks again gets the same, in each family', async (it) => {
    for (const family of families) {
      const first = await it.take('a', { family });
      assert.equal(familyOf(first.ip), family);
      assert.ok(it.of(family).includes(first.ip), `${first.ip} is in the pool`);
      assert.deepEqual(await it.take('a', { family }), first);
      assert.ok([first.ip, 'unknown'].includes(await it.look('a', family)));
    }
  });

  check('an empty slot is empty, and to release it is no failure', async (it) => {
    assert.ok(['none', 'unknown'].includes(await it.look('nobody')));
    await it.release('nobody');
  });

  check('a released slot is empty, and the others are as they were', async (it) => {
    const [, other] = [await it.take('a'), await it.take('b')];
    await it.take('a', { family: 'ipv6' });
    await it.release('a');
    await it.release('a');
    assert.ok(['none', 'unknown'].includes(await it.look('a')));
    assert.notEqual(await it.look('a', 'ipv6'), 'none');
    assert.deepEqual(await it.take('b'), other);
  });

  check(
    'many who ask at once get as many addresses, and one who asks often gets one',
    async (it) => {
      const owners = it.of('ipv4').map((_, index) => `owner-${index}`);
      const orders = owners.flatMap((owner) => [owner, owner]);
      const taken: Prefix[] = [];
      if (it.room.isForOneWriter) for (const owner of orders) taken.push(await it.take(owner));
      else taken.push(...(await Promise.all(orders.map((owner) => it.take(owner)))));
      assert.equal(new Set(taken.map(({ ip }) => ip)).size, owners.length);
    },
  );

  check('when all are given out it says so, until one comes back', async (it) => {
    for (const family of families) {
      const owners = it.of(family).map((_, index) => `${family}-${index}`);
      for (const owner of owners) await it.take(owner, { family });
      const outcome = await it.allocate('late', { family });
      assert.ok(outcome.kind === 'failure' && outcome.reason === 'exhausted', outcome.kind);
      await it.release(owners[1] ?? '', family);
      await it.take('late', { family });
    }
  });

  check('whoever gives up waiting is told why, and nothing else happens', async (it) => {
    const reason = new Error('no longer wanted');
    const order = { ...it.slot('a'), wish: undefined };
    await assert.rejects(it.room.source.allocate(order, AbortSignal.abort(reason)), reason);
    assert.ok(['none', 'unknown'].includes(await it.look('a')));
  });
}

function testWishes(check: Check): void {
  const checkWishes: Check = (sentence, run) => {
    check(sentence, async (it) => {
      if (it.room.takesWishes) await run(it);
    });
  };

  checkWishes('a wish is granted if the address is free, and kept', async (it) => {
    for (const family of families) {
      const wish = it.of(family).at(-1);
      assert.equal((await it.take('a', { family, wish })).ip, wish);
      assert.equal((await it.take('a', { family, wish })).ip, wish);
      assert.equal((await it.take('a', { family })).ip, wish);
    }
  });

  checkWishes(
    'a wish for what another has is a conflict, and nobody loses anything',
    async (it) => {
      const held = await it.take('a');
      const outcome = await it.allocate('b', { wish: held.ip });
      assert.ok(
        outcome.kind === 'failure' && outcome.reason === 'conflict',
        JSON.stringify(outcome),
      );
      assert.deepEqual(await it.take('a'), held);
      assert.notEqual((await it.take('b')).ip, held.ip);
    },
  );

  checkWishes('another wish changes the address of the slot', async (it) => {
    const held = await it.take('a');
    const wish = it.of('ipv4').find((ip) => ip !== held.ip);
    assert.equal((await it.take('a', { wish })).ip, wish);
    assert.equal((await it.take('b', { wish: held.ip })).ip, held.ip, 'the former is free');
  });

  checkWishes('a wish for what is not in the pool is refused', async (it) => {
    const outcome = await it.allocate('a', { wish: ipOf('192.0.2.222') });
    const reasons = ['conflict', 'invalid'];
    assert.ok(outcome.kind === 'failure' && reasons.includes(outcome.reason), outcome.kind);
  });
}

function testBooks(check: Check): void {
  check('it is ready, and says what it is', async ({ room }) => {
    const outcome = await room.source.check(never);
    assert.ok(outcome.kind === 'ready', JSON.stringify(outcome));
    assert.notEqual(outcome.message, '');
  });

  check('it counts what is given out', async (it) => {
    await it.take('a');
    await it.take('b');
    await it.take('a', { family: 'ipv6' });
    const stats = await it.room.source.stats(never);
    assert.ok(stats.kind === 'stats', stats.kind);
    assert.deepEqual(stats.allocated, { ipv4: 2n, ipv6: 1n });
    if (stats.capacity === undefined) return;
    assert.equal(stats.capacity.ipv4, BigInt(it.of('ipv4').length));
  });

  check('it lists every slot that is not empty, where it can', async (it) => {
    const { list } = it.room.source;
    if (list === undefined) return;
    const [first, second] = [await it.take('a'), await it.take('b', { family: 'ipv6' })];
    await it.take('c');
    await it.release('c');
    const outcome = await list(never);
    assert.ok(outcome.kind === 'records', JSON.stringify(outcome));
    const found = outcome.records.map(({ owner, family, address }) => ({ owner, family, address }));
    assert.deepEqual(
      found.sort((left, right) => (left.owner < right.owner ? -1 : 1)),
      [
        { owner: 'a', family: 'ipv4', address: first },
        { owner: 'b', family: 'ipv6', address: second },
      ],
    );
  });

  check('Services that share an address have one slot', async (it) => {
    const shared = { sharingKey: 'k' };
    const first = await it.take('share::k', { ...shared, service: 'shop/one' });
    assert.deepEqual(await it.take('share::k', { ...shared, service: 'shop/two' }), first);
  });
}
