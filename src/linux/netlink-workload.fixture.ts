/**
 * A process that works its kernel hard and prints what it holds before and after. Started by the leak test in a
 * namespace of its own, with `--expose-gc --max-semi-space-size=1`: the young generation would else grow by tens of
 * megabytes of its own accord and hide what is looked for.
 */

import { readdirSync } from 'node:fs';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import koffi from 'koffi';
import type { Kernel } from './kernel.ts';
import { add, remove, succeed } from './kernel-world.contract.ts';
import { NetlinkKernel } from './netlink-kernel.ts';

export interface Holdings {
  readonly descriptors: number;
  readonly threads: number;
  readonly residentBytes: number;
  /** What JavaScript can still reach. */
  readonly heapBytes: number;
  /** What was allocated in C and not freed: poll handles, buffers, callbacks. */
  readonly mallocBytes: number;
}

const link = 'kube-lb0';
const batch = Array.from({ length: 250 }, (_, index) => `192.0.2.${index}/32`);

async function changeAddresses(kernel: Kernel): Promise<number> {
  await succeed(kernel, ...batch.map((prefix) => add(link, prefix)));
  await succeed(kernel, ...batch.map((prefix) => remove(link, prefix)));
  return 2 * batch.length;
}

async function readEverything(kernel: Kernel): Promise<number> {
  await kernel.links();
  await kernel.addresses();
  await kernel.routes();
  return 3;
}

/** Three sockets and a poll, in each of the ways they can end. */
async function openAndClose(count: number): Promise<number> {
  const kernel = new NetlinkKernel();
  const stop = kernel.changes(() => {});
  if (count % 3 !== 0) await kernel.links();
  if (count % 2 === 0) stop();
  kernel.close();
  await nextTurn();
  return 3;
}

async function work(kernel: Kernel, operations: number): Promise<void> {
  for (let done = 0, round = 0; done < operations; round++) {
    done += await changeAddresses(kernel);
    for (let count = 0; count < 20; count++) done += await readEverything(kernel);
    for (let count = 0; count < 60; count++) done += await openAndClose(round + count);
  }
}

/** struct mallinfo2 of glibc. */
const mallinfo2 = koffi.struct({ counters: koffi.array('size_t', 10) });
const cMallinfo2 = koffi.load(null).func('mallinfo2', mallinfo2, []);

function mallocBytes(): number {
  const counters: BigUint64Array = cMallinfo2().counters;
  const [mapped, used] = [counters[4], counters[7]];
  return Number((mapped ?? 0n) + (used ?? 0n));
}

/** Freed buffers are given back in the background, a little later: what was least is what is needed. */
async function measure(): Promise<Holdings> {
  const samples: (NodeJS.MemoryUsage & { malloc: number })[] = [];
  for (let round = 0; round < 10; round++) {
    globalThis.gc?.();
    await sleep(20);
    samples.push({ ...process.memoryUsage(), malloc: mallocBytes() });
  }
  const count = (folder: string) => readdirSync(`/proc/self/${folder}`).length;
  return {
    descriptors: count('fd'),
    threads: count('task'),
    residentBytes: Math.min(...samples.map(({ rss }) => rss)),
    heapBytes: Math.min(...samples.map(({ heapUsed }) => heapUsed)),
    mallocBytes: Math.min(...samples.map(({ malloc }) => malloc)),
  };
}

if (process.argv[1] === import.meta.filename) {
  const kernel = new NetlinkKernel();
  await kernel.ensureVirtualLink(link);
  const stop = kernel.changes(() => {});
  await work(kernel, 100_000);
  const before = await measure();
  await work(kernel, 100_000);
  const after = await measure();
  stop();
  kernel.close();
  process.stdout.write(JSON.stringify([before, after]));
}
