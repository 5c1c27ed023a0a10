import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeKernel } from '../linux/fake-kernel.ts';
import type { KernelEvent } from '../linux/kernel.ts';
import type { HeldAddress, WantedAddress } from '../model/address.ts';
import { familyOf, ipOf } from '../model/ip.ts';
import { prefixOf } from '../model/prefix.ts';
import { Log } from '../runtime/log.ts';
import { ManualClock } from '../runtime/manual-clock.ts';
import { Metrics } from '../runtime/metrics.ts';
import { AddressKeeper } from './address-keeper.ts';
import { AgentMetrics } from './agent-metrics.ts';
import { KernelReader } from './kernel-reader.ts';
import { VirtualLinkKeeper } from './virtual-link-keeper.ts';
import { wakeOnKernel } from './wake-on-kernel.ts';
import { WireMemory } from './wire-memory.ts';

type AddressEvent = Extract<KernelEvent, { readonly address: HeldAddress }>;

function want(prefix: string, link: string): WantedAddress {
  const { ip, length: prefixLength } = prefixOf(prefix);
  const lifetime = { validSeconds: 300, preferredSeconds: 300, noPrefixRoute: true };
  return { link, ip, prefixLength, ...lifetime, noDad: true };
}

/** As the kernel tells of an address of ours that was put there as wanted. */
function held(prefix: string, more: Partial<HeldAddress> = {}): HeldAddress {
  const { noDad: _, ...wanted } = want(prefix, 'eth0');
  const flags = { isSecondary: true, isTentative: false, isDeprecated: false, hasFailedDad: false };
  return { linkIndex: 2, ...wanted, isOurs: true, ...flags, scope: 'global', ...more };
}

/** When an agent that has just put the address there wakes after the kernel told of it, in ms; undefined: not. */
async function wakesAfter(kind: AddressEvent['kind'], address: HeldAddress) {
  return wakesAfterEvent({ kind, address }, address);
}

async function wakesAfterEvent(
  event: KernelEvent,
  address: HeldAddress,
): Promise<number | undefined> {
  const clock = new ManualClock();
  const kernel = new FakeKernel();
  const log = Log.create({ sink: () => {} });
  const metrics = new AgentMetrics(new Metrics(() => {}));
  const keeper = new AddressKeeper({ kernel, clock, log, metrics, refusal: () => undefined });
  const wanted = want(`${address.ip}/${address.prefixLength}`, address.link);
  const change = { kind: 'add', address: wanted } as const;
  const changes = [{ change, reason: 'missing' } as const];
  await keeper.apply(
    { changes, duplicates: [], blocked: [], offers: new Map(), wakeAt: Infinity },
    [],
  );
  const reader = new KernelReader({ kernel, clock, onFailure: () => {}, onReadable: () => {} });
  const virtualLink = new VirtualLinkKeeper({ kernel, log, offers: () => [] });
  let wokeAt: number | undefined;
  const parts = { reader, memory: new WireMemory(), keeper, virtualLink };
  wakeOnKernel({ kernel, clock }, parts, () => {
    wokeAt ??= clock.monotonic();
  });
  kernel.machine.tell(event);
  await clock.advance(1000);
  return wokeAt;
}

const isNever = undefined;
const isAtOnce = 0;
const isSoon = 100;

for (const prefix of ['192.0.2.100/24', '2001:db8::100/64']) {
  const added = (more: Partial<HeldAddress> = {}) =>
    wakesAfter('address-added', held(prefix, more));

  test(`what an agent did to ${prefix} itself does not wake it`, async () => {
    assert.equal(await added(), isNever);
  });

  test(`what others do to ${prefix} wakes an agent soon, and its loss at once`, async () => {
    assert.equal(await added({ preferredSeconds: 100 }), isSoon);
    assert.equal(await added({ validSeconds: 20, preferredSeconds: 20 }), isSoon);
    assert.equal(await added({ noPrefixRoute: false }), isSoon);
    assert.equal(await added({ isOurs: false }), isSoon);
    assert.equal(await wakesAfter('address-removed', held(prefix)), isAtOnce);
  });
}

test("an address that takes the place of the node's own as primary wakes an agent at once", async () => {
  const address = held('192.0.2.100/24', { isSecondary: false });
  assert.equal(await wakesAfter('address-added', address), isAtOnce);
});

test('the first address of an aggregate on the virtual link is primary, and that is no news', async () => {
  const address = held('203.0.113.200/25', { isSecondary: false, link: 'kube-lb0' });
  assert.equal(await wakesAfter('address-added', address), isNever);
});

test('a default route wakes an agent soon, and a route to somewhere else never', async () => {
  const own = { metric: 0, table: 254, protocol: 3, type: 'unicast', scope: 0 } as const;
  for (const [prefix, gateway] of [
    ['198.51.100.0/24', '192.0.2.1'],
    ['2001:db8:7::/64', 'fe80::1'],
  ] as const) {
    const { ip, length: prefixLength } = prefixOf(prefix);
    const nextHops = [{ linkIndex: 2, weight: 1, gateway: ipOf(gateway) }];
    const route = { ...own, family: familyOf(ip), nextHops };
    const far = { ...route, destination: { ip, prefixLength } };
    const address = held('192.0.2.100/24');
    for (const kind of ['route-added', 'route-removed'] as const) {
      assert.equal(await wakesAfterEvent({ kind, route }, address), isSoon);
      assert.equal(await wakesAfterEvent({ kind, route: far }, address), isNever);
    }
  }
});
