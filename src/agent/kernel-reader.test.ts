import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeKernel } from '../linux/fake-kernel.ts';
import type { KernelEvent } from '../linux/kernel.ts';
import type { HeldAddress } from '../model/address.ts';
import { ipOf } from '../model/ip.ts';
import type { Route } from '../model/route.ts';
import { ManualClock } from '../runtime/manual-clock.ts';
import { KernelReader } from './kernel-reader.ts';

const hop = (gateway?: string) => [
  { linkIndex: 2, weight: 1, ...(gateway !== undefined && { gateway: ipOf(gateway) }) },
];
const route: Route = {
  family: 'ipv4',
  nextHops: hop('192.0.2.1'),
  metric: 0,
  table: 254,
  protocol: 3,
  type: 'unicast',
  scope: 0,
};
const address = { isOurs: false } as HeldAddress;

/** A reader that has read everything once, and what it has read from the kernel since. */
async function make() {
  const kernel = new FakeKernel();
  const reads: string[] = [];
  const clock = new ManualClock();
  const noting = new Proxy(kernel, {
    get(target, name: 'links' | 'addresses' | 'routes') {
      return () => {
        reads.push(name);
        return target[name]();
      };
    },
  });
  const unread: number[] = [];
  const onReadable = (ms: number) => unread.push(ms);
  const reader = new KernelReader({ kernel: noting, clock, onFailure: () => {}, onReadable });
  await reader.read();
  reads.length = 0;
  return { kernel, clock, reader, reads, unread };
}

for (const [event, expected] of [
  [{ kind: 'resync' }, ['links', 'routes', 'addresses']],
  [{ kind: 'route-added', route }, ['routes', 'addresses']],
  [{ kind: 'address-removed', address }, ['routes', 'addresses']],
  [{ kind: 'address-removed', address: { ...address, isOurs: true } }, ['addresses']],
] as const satisfies readonly (readonly [KernelEvent, readonly string[]])[]) {
  const whose = 'address' in event && event.address.isOurs ? ' of ours' : '';
  test(`after ${event.kind}${whose} ${expected.join(', ')} are read anew`, async () => {
    const { reader, reads } = await make();
    reader.note(event);
    await reader.read();
    assert.deepEqual(reads, expected);
  });
}

test('after half a minute everything is looked at, though nothing was told', async () => {
  const { clock, reader, reads } = await make();
  await clock.advance(30_000);
  await reader.read();
  assert.deepEqual(reads, ['links', 'routes', 'addresses']);
});

test('of all routes only those are kept that tell where addresses belong', async () => {
  const { kernel, reader } = await make();
  kernel.machine.addLink({ name: 'eth0', isUp: true });
  const far = { ip: ipOf('198.51.100.0'), prefixLength: 24 };
  kernel.machine.addRoute(route);
  kernel.machine.addRoute({ ...route, destination: far });
  reader.note({ kind: 'resync' });
  assert.deepEqual((await reader.read()).routes, [route]);
});

test('when addresses can be read again, it is told for how long they could not', async () => {
  const { kernel, clock, reader, unread } = await make();
  kernel.interruptReads(Infinity);
  for (let read = 0; read < 3; read += 1) {
    await reader.read();
    await clock.advance(1_000);
  }
  assert.deepEqual(unread, []);
  kernel.interruptReads(0);
  await reader.read();
  await reader.read();
  assert.deepEqual(unread, [3_000]);
});
