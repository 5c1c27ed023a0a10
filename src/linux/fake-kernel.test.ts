import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ipOf } from '../model/ip.ts';
import { FakeKernel } from './fake-kernel.ts';
import { kernelContract } from './kernel.contract.ts';
import {
  add,
  describeEvent,
  type KernelWorld,
  remove,
  state,
  succeed,
} from './kernel-world.contract.ts';

function makeWorld(): KernelWorld {
  let now = 0;
  const kernel = new FakeKernel({ now: () => now });
  const { machine } = kernel;
  const pass = async (seconds: number) => {
    now += seconds * 1000;
    machine.tick();
  };
  return {
    kernel,
    addVeth(name, peer) {
      machine.addLink({ name: peer, kind: 'veth', isUp: false });
      machine.addLink({ name, peer, isUp: false });
      machine.setUp(peer, true);
      machine.setUp(name, true);
    },
    addVirtual: (name) => machine.addLink({ name, kind: 'ifb', isUp: false }),
    addBridge: (name) => {
      machine.addLink({ name, kind: 'bridge', isUp: false });
      return true;
    },
    removeLink: (name) => machine.removeLink(name),
    renameLink: (name, newName) => machine.renameLink(name, newName),
    setUp: (name, isUp) => machine.setUp(name, isUp),
    addForeign: (link, prefix) => machine.addForeign(link, prefix),
    removeAddress: (link, prefix) => machine.removeAddress(link, prefix),
    promoteSecondaries() {
      machine.promoteSecondaries = true;
    },
    waitForDad: () => pass(2),
    wait: pass,
  };
}

kernelContract('FakeKernel', makeWorld);

function makeKernel() {
  let now = 0;
  const kernel = new FakeKernel({ now: () => now });
  kernel.machine.addLink({ name: 'eth0' });
  return { kernel, machine: kernel.machine, pass: (seconds: number) => (now += seconds * 1000) };
}

test('prints itself, one line per address', async () => {
  const { kernel, machine, pass } = makeKernel();
  machine.addForeign('eth0', '192.0.2.10/24');
  await succeed(kernel, add('eth0', '192.0.2.1/24'));
  pass(100);
  assert.equal(
    `${kernel}`,
    [
      'lo: 127.0.0.1/8 foreign forever',
      'lo: ::1/128 foreign forever',
      'eth0: 192.0.2.10/24 foreign forever',
      'eth0: 192.0.2.1/24 ours 200s noprefixroute secondary',
    ].join('\n'),
  );
});

test('fails the next apply as told, and does nothing', async () => {
  const { kernel } = makeKernel();
  const changes = [add('eth0', '192.0.2.1/32'), remove('eth0', '192.0.2.2/32')];
  const fault = { code: 'Unknown', words: 'no answer from the kernel' } as const;
  kernel.failNextApply(fault);
  assert.deepEqual(
    await kernel.apply(changes),
    changes.map((change) => ({ change, ...fault })),
  );
  assert.deepEqual(await state(kernel), []);
  await succeed(kernel, ...changes);
});

test('interrupted reads throw, so that nobody takes a part for the whole', async () => {
  const { kernel } = makeKernel();
  kernel.interruptReads(2);
  await assert.rejects(kernel.addresses(), { code: 'NETLINK_INTERRUPTED' });
  await assert.rejects(kernel.links(), { code: 'NETLINK_INTERRUPTED' });
  assert.equal((await kernel.routes()).length, 0);
});

test('lost events are one resync', async () => {
  const { kernel } = makeKernel();
  const log: string[] = [];
  kernel.changes((event) => log.push(describeEvent(event)));
  kernel.loseEvents();
  await Promise.resolve();
  assert.deepEqual(log, ['resync']);
});

test('a kernel without drivers cannot make a virtual link', async () => {
  const kernel = new FakeKernel({ drivers: [] });
  await assert.rejects(kernel.ensureVirtualLink('kube-lb0'), { code: 'NO_LINK_DRIVER' });
});

test('time that passes is told of', async () => {
  const { kernel, machine, pass } = makeKernel();
  const brief = { validSeconds: 10, preferredSeconds: 10 };
  await succeed(kernel, add('eth0', '192.0.2.1/32', brief));
  machine.takeElsewhere(ipOf('2001:db8::1'));
  await succeed(kernel, add('eth0', '2001:db8::1/64', { noDad: false }));
  const log: string[] = [];
  kernel.changes((event) => log.push(describeEvent(event)));
  pass(11);
  machine.tick();
  await Promise.resolve();
  assert.deepEqual(log, [
    'address-removed eth0: 192.0.2.1/32 ours 0s noprefixroute deprecated',
    'address-removed eth0: 2001:db8::1/64 ours 290s noprefixroute tentative dadfailed',
  ]);
});

test('a pulled cable costs the carrier, not the addresses', async () => {
  const { kernel, machine } = makeKernel();
  await succeed(kernel, add('eth0', '2001:db8::1/64'));
  machine.setCarrier('eth0', false);
  const link = (await kernel.links()).find(({ name }) => name === 'eth0');
  assert.deepEqual([link?.isUp, link?.hasCarrier, link?.operState], [true, false, 'down']);
  assert.equal((await state(kernel)).length, 1);
});

test('routes that others add are there until their link goes down', async () => {
  const { kernel, machine } = makeKernel();
  const linkIndex = machine.findLink('eth0')?.index ?? assert.fail();
  machine.addRoute({
    family: 'ipv4',
    nextHops: [{ linkIndex, gateway: ipOf('192.0.2.254'), weight: 1 }],
    metric: 0,
    table: 254,
    protocol: 3,
    type: 'unicast',
    scope: 0,
  });
  assert.equal((await kernel.routes()).length, 1);
  machine.setUp('eth0', false);
  assert.deepEqual(await kernel.routes(), []);
});
