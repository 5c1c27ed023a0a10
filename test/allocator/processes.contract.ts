/** Allocators as processes: two at once, paused, killed, stopped. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '../../lab/eventually.ts';
import { monotonicMs } from '../../lab/monotonic.ts';
import { leases } from '../../src/kube/resources.ts';
import { type AllocatorWorld, installNamespace } from './allocator-world.ts';
import type { OpenWorld } from './first-use.contract.ts';
import { ChildAllocator } from './test-allocator.ts';

const range = { local: { v4pool: { subnet: '192.0.2.0/24', pool: '192.0.2.10-192.0.2.60' } } };
/** Two, and what a busy machine takes on top. */
const takeOverMs = 4_000;

async function holderOf(world: AllocatorWorld): Promise<string> {
  const lease = await world.get(leases, 'purelb-allocator', installNamespace);
  return (lease?.spec as { holderIdentity?: string } | undefined)?.holderIdentity ?? '';
}

async function isReady(allocator: ChildAllocator): Promise<void> {
  assert.match(await allocator.read('/readyz'), /^ok/);
}

/** Each address once. */
async function addressesOf(world: AllocatorWorld, count: number): Promise<readonly string[]> {
  const services = await world.allServices();
  const ips = services.flatMap(({ status }) => {
    const { loadBalancer } = status as { loadBalancer?: { ingress?: readonly { ip: string }[] } };
    return (loadBalancer?.ingress ?? []).map(({ ip }) => ip);
  });
  assert.equal(ips.length, count);
  assert.equal(new Set(ips).size, count, `an address was given twice: ${ips.join(' ')}`);
  return ips;
}

async function createMany(world: AllocatorWorld, prefix: string, count: number): Promise<void> {
  const names = Array.from({ length: count }, (_, index) => `${prefix}${index}`);
  await Promise.all(names.map((name) => world.service(name)));
}

export function processesContract(open: () => Promise<OpenWorld>): void {
  const pair = (name: string, run: Run) => {
    test(name, async () => {
      const { world, close } = await open();
      const all: ChildAllocator[] = [];
      const start = async () => {
        const allocator = await ChildAllocator.start(world.server);
        all.push(allocator);
        await eventually(() => isReady(allocator), { withinMs: 10_000 });
        return allocator;
      };
      try {
        await world.group('default', range);
        await run(world, await start(), start);
      } finally {
        for (const allocator of all) await allocator.stop();
        await close();
      }
    });
  };

  pair(
    '17.10: a standby takes over within a second of a clean stop',
    async (world, leader, start) => {
      const standby = await start();
      await createMany(world, 'a', 3);
      await eventually(() => addressesOf(world, 3), { withinMs: 5_000 });
      const stoppedAt = monotonicMs();
      assert.equal(await leader.end(), 0);
      await world.service('next');
      await eventually(() => addressesOf(world, 4), { withinMs: 5_000 });
      const took = monotonicMs() - stoppedAt;
      assert.ok(took < 1_000 + (takeOverMs - 2_000), `it took ${Math.round(took)} ms`);
      const { isLeading } = JSON.parse(await standby.state()) as { isLeading: boolean };
      assert.equal(isLeading, true);
    },
  );

  pair('a leader that is killed is replaced, and nothing is lost', async (world, leader, start) => {
    await start();
    const creating = createMany(world, 'a', 20);
    await leader.crash();
    const killedAt = monotonicMs();
    await creating;
    await eventually(() => addressesOf(world, 20), { withinMs: 15_000 });
    const took = monotonicMs() - killedAt;
    assert.ok(took < takeOverMs, `it took ${Math.round(took)} ms`);
  });

  pair(
    'a leader that was paused for five seconds in a burst cannot undo what its successor did',
    async (world, leader, start) => {
      const standby = await start();
      const first = await holderOf(world);
      await createMany(world, 'a', 5);
      await eventually(() => addressesOf(world, 5), { withinMs: 5_000 });
      const creating = createMany(world, 'b', 20);
      leader.pause();
      const pausedAt = monotonicMs();
      await creating;
      await eventually(() => addressesOf(world, 25), { withinMs: 15_000 });
      await sleep(Math.max(0, 5_000 - (monotonicMs() - pausedAt)));
      const before = await world.allServices();
      leader.resume();
      await eventually(
        async () => {
          const { isLeading, leader: known } = JSON.parse(await leader.state()) as State;
          assert.deepEqual([isLeading, known], [false, await holderOf(world)]);
        },
        { withinMs: 5_000 },
      );
      assert.notEqual(await holderOf(world), first);
      await world.service('c');
      await eventually(() => addressesOf(world, 26), { withinMs: 5_000 });
      const after = (await world.allServices()).filter(({ metadata }) => metadata.name !== 'c');
      assert.deepEqual(after, before);
      assert.match(await standby.read('/readyz'), /^ok/);
    },
  );

  pair(
    '17.28: both are ready, one leads, and the state says which',
    async (world, leader, start) => {
      const standby = await start();
      const states = await Promise.all(
        [leader, standby].map(async (each) => JSON.parse(await each.state()) as State),
      );
      assert.deepEqual(
        states.map(({ isLeading }) => isLeading),
        [true, false],
      );
      const holder = await holderOf(world);
      assert.deepEqual(
        states.map((state) => state.leader),
        [holder, holder],
      );
      assert.match(await leader.read('/healthz?verbose'), /^ok\nreconciler: ok\n/);
      assert.match(await standby.read('/readyz?verbose'), /leadership: ok\nsynced: ok\n/);
    },
  );

  pair('17.38: every line of the log is JSON with a time', async (world, leader) => {
    await world.service('web');
    await eventually(() => addressesOf(world, 1), { withinMs: 5_000 });
    const isTold = () => leader.lines.some((line) => line.includes('Assigned addresses'));
    await eventually(() => assert.ok(isTold()), { withinMs: 5_000 });
    const lines = leader.lines.map((line) => JSON.parse(line) as { time?: string; msg?: string });
    for (const { time = '' } of lines) assert.match(time, /^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
  });
}

interface State {
  readonly isLeading: boolean;
  readonly leader: string;
}

type Run = (
  world: AllocatorWorld,
  leader: ChildAllocator,
  start: () => Promise<ChildAllocator>,
) => Promise<void>;
