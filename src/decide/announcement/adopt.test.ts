import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeKernel } from '../../linux/fake-kernel.ts';
import type { AddressChange, HeldAddress } from '../../model/address.ts';
import type { Ip } from '../../model/ip.ts';
import { type AdoptionAnswers, type AdoptionFacts, findDue, planAdoption } from './adopt.ts';
import { familySamples } from './cluster.fixture.ts';
import type { Ownership } from './judge-adopted.ts';
import { held, link, ours } from './node.fixture.ts';
import { placeAddresses } from './place-addresses.ts';
import { planAddresses } from './plan-addresses.ts';
import { service } from './pool.fixture.ts';
import { snapshotOf } from './snapshot.fixture.ts';

const eth0 = link('eth0');

function adopt(
  addresses: readonly HeldAddress[],
  more: Partial<AdoptionFacts & AdoptionAnswers> = {},
) {
  const facts = { held: addresses, resting: new Map(), graceSeconds: 120, isStart: true, now: 0 };
  const free = addresses.map(({ ip }) => [ip, 'free'] as const);
  const unproven = new Map<Ip, number>();
  const answers = { ownership: new Map<Ip, Ownership>(free), yielded: new Set<Ip>(), unproven };
  const { changes, wakeAt } = planAdoption({ ...facts, ...more }, { ...answers, ...more });
  const of = (kind: AddressChange['kind']) =>
    changes.filter(({ change }) => change.kind === kind).map(({ change }) => change.address.ip);
  const removed = of('remove');
  return { armed: of('refresh'), wakeAt, ...(removed.length > 0 && { removed }) };
}

for (const { family, vip, vip2, nodeIp, length } of familySamples) {
  const left = (validSeconds: number, ip: Ip = vip) =>
    ours(eth0, `${ip}/${length}`, { validSeconds, preferredSeconds: validSeconds });

  test(`${family}: F13: what a predecessor left is kept alive, foreign addresses are not touched`, () => {
    const own = held(eth0, `${nodeIp}/${length}`, { validSeconds: 50 });
    assert.deepEqual(adopt([left(30), own]), { armed: [vip], wakeAt: 60_000 });
  });

  test(`${family}: at the start also what is not due yet gets the whole grace`, () => {
    assert.deepEqual(adopt([left(100)]), { armed: [vip], wakeAt: 60_000 });
  });

  test(`${family}: what has more time than the grace keeps it`, () => {
    assert.deepEqual(adopt([left(280)]), { armed: [], wakeAt: 220_000 });
    assert.deepEqual(adopt([left(280), left(30, vip2)]).armed, [vip2]);
  });

  test(`${family}: what another host answers for runs out, and is asked for again before its end`, () => {
    const ownership = new Map<Ip, Ownership>([
      [vip, 'answered'],
      [vip2, 'free'],
    ]);
    const addresses = [left(30), left(30, vip2)];
    assert.deepEqual(adopt(addresses, { ownership }), { armed: [vip2], wakeAt: 7_500 });
  });

  test(`${family}: nothing is extended that was not asked for, or whose question may not have been heard`, () => {
    assert.deepEqual(adopt([left(30)], { ownership: new Map() }).armed, []);
    const ownership = new Map([[vip, 'unheard' as const]]);
    assert.deepEqual(adopt([left(30)], { ownership }), { armed: [], wakeAt: 200 });
  });

  test(`${family}: an address that is given up to its owner is removed, foreign ones of the same number stay`, () => {
    const yielded = new Set([vip]);
    const ownership = new Map([[vip, 'owned' as const]]);
    const foreign = held(link('eth1'), `${vip}/${length}`);
    assert.deepEqual(adopt([left(30), foreign], { ownership, yielded }), {
      armed: [],
      wakeAt: Infinity,
      removed: [vip],
    });
  });

  test(`${family}: an address that another host claims without proof is kept alive and asked for ever less often`, () => {
    const claim = (validSeconds: number, since: number) => {
      const ownership = new Map([[vip, 'owned' as const]]);
      const unproven = new Map([[vip, since]]);
      return adopt([left(validSeconds)], { ownership, unproven, isStart: false, now: 10_000 });
    };
    assert.deepEqual(claim(60, 10_000), { armed: [vip], wakeAt: 10_200 });
    assert.deepEqual(claim(61, 8_000), { armed: [], wakeAt: 10_500 });
    assert.deepEqual(claim(60, -40_000), { armed: [vip], wakeAt: 11_000 });
  });

  test(`${family}: an address that another host answered for is due when its rest is over, and not before`, () => {
    const due = (until: number) => {
      const facts = { held: [left(100)], graceSeconds: 120, isStart: false, now: 1_000 };
      return findDue({ ...facts, resting: new Map([[vip, until]]) }).map(({ ip }) => ip);
    };
    assert.deepEqual([due(1_000), due(1_001)], [[vip], []]);
  });

  test(`${family}: it is done again at half of the grace until the cluster is known`, () => {
    assert.deepEqual(adopt([left(100)], { isStart: false }), { armed: [], wakeAt: 40_000 });
    assert.deepEqual(adopt([left(60), left(100, vip2)], { isStart: false }), {
      armed: [vip, vip2],
      wakeAt: 60_000,
    });
  });

  test(`${family}: permanent addresses need nothing`, () => {
    assert.deepEqual(adopt([left(Infinity)]), { armed: [], wakeAt: Infinity });
  });

  test(`${family}: F13: once the cluster is known, what is not wanted is swept out`, async () => {
    let now = 0;
    const kernel = new FakeKernel({ now: () => now });
    kernel.machine.addLink({ name: 'eth0' });
    kernel.machine.addForeign('eth0', `${nodeIp}/${length}`);
    now += 2000;
    const predecessor = [vip, vip2].map((ip) => ({
      kind: 'add' as const,
      address: { ...left(40, ip), noDad: true, preferredSeconds: 0 },
    }));
    assert.deepEqual(await kernel.apply(predecessor), []);

    const first = planAdoption(
      {
        held: await kernel.addresses(),
        resting: new Map(),
        graceSeconds: 120,
        isStart: true,
        now,
      },
      {
        ownership: new Map([vip, vip2].map((ip) => [ip, 'free'])),
        yielded: new Set(),
        unproven: new Map(),
      },
    );
    assert.deepEqual(await kernel.apply(first.changes.map(({ change }) => change)), []);
    now += 100_000;

    const addresses = await kernel.addresses();
    const services = [service('web', [vip])];
    const { wanted, left: unknown } = placeAddresses(
      snapshotOf({ nodes: ['a'], services, kernel: { addresses: addresses.map(onEth0) } }),
    );
    const { changes } = planAddresses({ wanted, held: addresses, left: unknown, now });
    assert.deepEqual(await kernel.apply(changes.map(({ change }) => change)), []);
    assert.deepEqual(
      (await kernel.addresses()).filter(({ link: on }) => on === 'eth0').map(({ ip }) => ip),
      [nodeIp, vip],
    );
  });
}

/** The fake kernel's links have other numbers than the fixture's. */
function onEth0(address: HeldAddress): HeldAddress {
  return { ...address, linkIndex: address.link === 'eth0' ? eth0.index : 1 };
}
