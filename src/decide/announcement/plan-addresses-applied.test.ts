/** Plans carried out by a kernel: what is left to plan, and what others still have. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { FakeKernel } from '../../linux/fake-kernel.ts';
import type { HeldAddress, WantedAddress } from '../../model/address.ts';
import { familyOf, type Ip, ipOf } from '../../model/ip.ts';
import { type AddressPlan, planAddresses } from './plan-addresses.ts';

const links = ['eth0', 'eth1', 'kube-lb0'];

class Node {
  now = 0;
  readonly kernel = new FakeKernel({ now: () => this.now });

  constructor(promotes: boolean) {
    const { machine } = this.kernel;
    machine.promoteSecondaries = promotes;
    for (const name of ['eth0', 'eth1']) machine.addLink({ name });
    machine.addLink({ name: 'kube-lb0', kind: 'dummy' });
    machine.addForeign('eth0', '192.0.2.1/24');
    machine.addForeign('eth0', '2001:db8::1/64');
    this.now += 2000;
  }

  async plan(
    wanted: readonly WantedAddress[],
    left: ReadonlySet<Ip> = new Set(),
  ): Promise<AddressPlan> {
    return planAddresses({ wanted, left, held: await this.kernel.addresses(), now: this.now });
  }

  /** Plans and carries out; nothing may fail. */
  async reconcile(wanted: readonly WantedAddress[], left?: ReadonlySet<Ip>): Promise<void> {
    const { changes } = await this.plan(wanted, left);
    assert.deepEqual(await this.kernel.apply(changes.map(({ change }) => change)), []);
  }

  async foreign(): Promise<readonly string[]> {
    return (await this.kernel.addresses()).filter(({ isOurs }) => !isOurs).map(nameOf);
  }

  async ours(): Promise<readonly string[]> {
    return (await this.kernel.addresses())
      .filter(({ isOurs }) => isOurs)
      .map(nameOf)
      .sort();
  }
}

function nameOf({ link, ip, prefixLength }: HeldAddress | WantedAddress): string {
  return `${link} ${ip}/${prefixLength}`;
}

const anyWanted: fc.Arbitrary<WantedAddress> = fc
  .record(
    {
      link: fc.constantFrom(...links),
      last: fc.integer({ min: 100, max: 104 }),
      isIpv4: fc.boolean(),
      isHost: fc.boolean(),
      validSeconds: fc.constantFrom(60, 300, Infinity),
      noPrefixRoute: fc.boolean(),
    },
    { noNullPrototype: true },
  )
  .map(({ last, isIpv4, isHost, link, validSeconds, noPrefixRoute }) => ({
    link,
    ip: ipOf(isIpv4 ? `192.0.2.${last}` : `2001:db8::${last}`),
    prefixLength: isIpv4 ? (isHost ? 32 : 24) : isHost ? 128 : 64,
    validSeconds,
    preferredSeconds: isIpv4 ? validSeconds : 0,
    noPrefixRoute,
    noDad: true,
  }));

/** Each address on a link once, as placing gives them. */
const wantedLists = fc.uniqueArray(anyWanted, {
  selector: ({ link, ip }) => `${link} ${ip}`,
  maxLength: 12,
});

test('invariant 2: a plan carried out leaves an empty plan, at any time of its life', async () => {
  const histories = fc.array(fc.tuple(wantedLists, fc.nat(200)), { minLength: 1, maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(histories, fc.boolean(), async (history, promotes) => {
      const node = new Node(promotes);
      const before = await node.foreign();
      for (const [wanted, seconds] of history) {
        await node.reconcile(wanted);
        const { changes, wakeAt } = await node.plan(wanted);
        assert.deepEqual(changes, []);
        assert.ok(wakeAt > node.now);
        assert.deepEqual(await node.ours(), wanted.map(nameOf).sort());
        assert.deepEqual(await node.foreign(), before);
        node.now += seconds * 1000;
      }
    }),
    { numRuns: 150 },
  );
});

test('who wakes when told never loses an address', async () => {
  await fc.assert(
    fc.asyncProperty(wantedLists, fc.boolean(), async (wanted, promotes) => {
      const node = new Node(promotes);
      for (let turn = 0; turn < 5; turn++) {
        await node.reconcile(wanted);
        const { wakeAt } = await node.plan(wanted);
        node.now = Math.min(wakeAt, node.now + 1_000_000);
        assert.deepEqual(await node.ours(), wanted.map(nameOf).sort());
      }
    }),
    { numRuns: 50 },
  );
});

test('invariant 6: what is left is never removed', async () => {
  await fc.assert(
    fc.asyncProperty(wantedLists, wantedLists, fc.boolean(), async (first, second, promotes) => {
      const node = new Node(promotes);
      await node.reconcile(first);
      const left = new Set(first.map(({ ip }) => ip));
      const rest = second.filter(({ ip }) => !left.has(ip));
      await node.reconcile(rest, left);
      assert.deepEqual(await node.ours(), [...first, ...rest].map(nameOf).sort());
    }),
    { numRuns: 50 },
  );
});

for (const promotes of [true, false]) {
  const how = promotes ? 'with' : 'without';
  const inAggregate = ['198.51.100.1', '198.51.100.2', '198.51.100.3'].map(
    (ip): WantedAddress => ({
      link: 'kube-lb0',
      ip: ipOf(ip),
      prefixLength: 24,
      validSeconds: Infinity,
      preferredSeconds: Infinity,
      noPrefixRoute: false,
      noDad: true,
    }),
  );

  test(`T4: removing the first of an aggregate keeps the others and its route, ${how} promotion`, async () => {
    const node = new Node(promotes);
    await node.reconcile(inAggregate);
    await node.reconcile(inAggregate.slice(1));
    assert.deepEqual(await node.ours(), inAggregate.slice(1).map(nameOf));
    const routes = await node.kernel.routes();
    assert.equal(routes.filter(({ destination }) => destination?.ip === '198.51.100.0').length, 1);
    assert.deepEqual((await node.plan(inAggregate.slice(1))).changes, []);
  });

  test(`decision 23: after a restart of the node's network its own address is first again, ${how} promotion`, async () => {
    const node = new Node(promotes);
    const vips = ['192.0.2.100', '192.0.2.101'].map(
      (ip): WantedAddress => ({
        link: 'eth0',
        ip: ipOf(ip),
        prefixLength: 24,
        validSeconds: 300,
        preferredSeconds: 300,
        noPrefixRoute: true,
        noDad: true,
      }),
    );
    await node.reconcile(vips);
    node.kernel.machine.removeAddress('eth0', '192.0.2.1/24');
    // The agent may or may not have come to heal before the node's own address is back.
    if (!promotes) await node.reconcile(vips);
    node.kernel.machine.addForeign('eth0', '192.0.2.1/24');
    await node.reconcile(vips);
    const row = (await node.kernel.addresses()).filter(
      ({ ip, link }) => familyOf(ip) === 'ipv4' && link === 'eth0',
    );
    assert.deepEqual(
      row.map(({ ip, isSecondary }) => `${ip} ${isSecondary ? 'secondary' : 'primary'}`).sort(),
      ['192.0.2.1 primary', '192.0.2.100 secondary', '192.0.2.101 secondary'],
    );
    assert.deepEqual((await node.plan(vips)).changes, []);
  });
}

test('F12: an address that someone removed by hand comes back', async () => {
  const node = new Node(false);
  const [wanted] = fc.sample(
    anyWanted.filter(({ link }) => link === 'eth1'),
    { numRuns: 1, seed: 1 },
  );
  assert.ok(wanted !== undefined);
  await node.reconcile([wanted]);
  node.kernel.machine.removeAddress('eth1', `${wanted.ip}/${wanted.prefixLength}`);
  await node.reconcile([wanted]);
  assert.deepEqual(await node.ours(), [nameOf(wanted)]);
});
