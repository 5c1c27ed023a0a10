import assert from 'node:assert/strict';
import type { Link } from '../model/link.ts';
import { add, inWorld, type KernelContract, succeed } from './kernel-world.contract.ts';

export function linkContract(contract: KernelContract): void {
  inWorld(contract, 'an empty machine has the loopback link alone', async ({ kernel }) => {
    const [lo, ...others] = await kernel.links();
    assert.deepEqual(others, []);
    assert.deepEqual([lo?.name, lo?.isLoopback, lo?.mac, lo?.mtu], ['lo', true, undefined, 65536]);
  });

  inWorld(contract, 'a pair of links carries frames while both ends are up', async (world) => {
    world.addVeth('eth0', 'far0');
    const before = await find(world.kernel.links(), 'eth0');
    world.setUp('far0', false);
    const cut = await find(world.kernel.links(), 'eth0');
    world.setUp('eth0', false);
    const down = await find(world.kernel.links(), 'eth0');
    const shown = [before, cut, down].map(({ isUp, hasCarrier, operState }) => ({
      isUp,
      hasCarrier,
      operState,
    }));
    assert.deepEqual(shown, [
      { isUp: true, hasCarrier: true, operState: 'up' },
      { isUp: true, hasCarrier: false, operState: 'lower-layer-down' },
      { isUp: false, hasCarrier: false, operState: 'down' },
    ]);
    assert.deepEqual([before.kind, before.mtu, before.isNoArp], ['veth', 1500, false]);
    assert.match(before.mac ?? '', /^([0-9a-f]{2}:){5}[0-9a-f]{2}$/);
  });

  inWorld(contract, 'removing one end of a pair removes both', async (world) => {
    world.addVeth('eth0', 'far0');
    world.removeLink('far0');
    assert.deepEqual(await names(world.kernel.links()), ['lo']);
  });

  inWorld(
    contract,
    'a virtual link is created once, up, and answers no ARP',
    async ({ kernel }) => {
      const { link, how } = await kernel.ensureVirtualLink('kube-lb0');
      const again = await kernel.ensureVirtualLink('kube-lb0');
      assert.deepEqual([how, again.how, again.link.index], ['created', 'adopted', link.index]);
      assert.ok(link.kind === 'dummy' || link.kind === 'ifb', link.kind);
      assert.deepEqual([link.isUp, link.hasCarrier, link.isNoArp], [true, true, true]);
      assert.deepEqual(await find(kernel.links(), 'kube-lb0'), again.link);
    },
  );

  inWorld(contract, 'a virtual link that is there but down is set up', async (world) => {
    world.addVirtual('kube-lb0');
    const { link, how } = await world.kernel.ensureVirtualLink('kube-lb0');
    assert.deepEqual([link.isUp, how], [true, 'adopted']);
  });

  inWorld(contract, 'a bridge of that name is used, and never removed', async (world) => {
    if (!world.addBridge('kube-lb0')) return;
    const { link } = await world.kernel.ensureVirtualLink('kube-lb0');
    assert.deepEqual([link.kind, link.isUp], ['bridge', true]);
    assert.equal(await world.kernel.removeVirtualLink('kube-lb0'), 'kept');
  });

  inWorld(
    contract,
    'another kind of link of that name is refused and left alone',
    async (world) => {
      world.addVeth('kube-lb0', 'far0');
      await assert.rejects(world.kernel.ensureVirtualLink('kube-lb0'), {
        name: 'VirtualLinkError',
        code: 'LINK_KIND_REFUSED',
      });
      assert.equal(await world.kernel.removeVirtualLink('kube-lb0'), 'kept');
      assert.deepEqual((await names(world.kernel.links())).includes('kube-lb0'), true);
    },
  );

  inWorld(contract, 'a virtual link goes with our addresses on it', async ({ kernel }) => {
    await kernel.ensureVirtualLink('kube-lb0');
    await succeed(kernel, add('kube-lb0', '192.0.2.1/32'), add('kube-lb0', '2001:db8::1/128'));
    assert.equal(await kernel.removeVirtualLink('kube-lb0'), 'removed');
    assert.equal(await kernel.removeVirtualLink('kube-lb0'), 'absent');
    assert.deepEqual(await names(kernel.links()), ['lo']);
  });

  inWorld(contract, 'a virtual link with someone else’s address on it is kept', async (world) => {
    await world.kernel.ensureVirtualLink('kube-lb0');
    world.addForeign('kube-lb0', '192.0.2.1/32');
    assert.equal(await world.kernel.removeVirtualLink('kube-lb0'), 'kept');
  });

  inWorld(contract, 'nothing works once it is closed', async ({ kernel }) => {
    kernel.close();
    const closed = { code: 'NETLINK_CLOSED' };
    await assert.rejects(kernel.links(), closed);
    await assert.rejects(kernel.addresses(), closed);
    await assert.rejects(kernel.routes(), closed);
    await assert.rejects(kernel.apply([add('lo', '192.0.2.1/32')]), closed);
    await assert.rejects(kernel.ensureVirtualLink('kube-lb0'), closed);
    await assert.rejects(kernel.removeVirtualLink('kube-lb0'), closed);
  });
}

async function names(links: Promise<readonly Link[]>): Promise<readonly string[]> {
  return (await links).map(({ name }) => name);
}

async function find(links: Promise<readonly Link[]>, wanted: string): Promise<Link> {
  return (await links).find(({ name }) => name === wanted) ?? assert.fail(`no link ${wanted}`);
}
