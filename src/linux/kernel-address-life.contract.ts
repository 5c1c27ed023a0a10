import assert from 'node:assert/strict';
import {
  add,
  forEver,
  inWorld,
  type KernelContract,
  listen,
  state,
  succeed,
} from './kernel-world.contract.ts';

export function addressLifeContract(contract: KernelContract): void {
  inWorld(contract, 'addresses vanish when their lifetime ends', async (world) => {
    world.addVeth('eth0', 'far0');
    const brief = { validSeconds: 1, preferredSeconds: 1 };
    await succeed(
      world.kernel,
      add('eth0', '192.0.2.1/32', brief),
      add('eth0', '192.0.2.2/32'),
      add('eth0', '2001:db8::1/128', brief),
      add('eth0', '2001:db8::2/128'),
    );
    await world.wait(3);
    assert.deepEqual(await state(world.kernel), [
      'eth0: 192.0.2.2/32 ours 300s noprefixroute',
      'eth0: 2001:db8::2/128 ours 300s noprefixroute',
    ]);
  });

  inWorld(contract, 'an IPv6 address without preferred lifetime is deprecated', async (world) => {
    world.addVeth('eth0', 'far0');
    await succeed(world.kernel, add('eth0', '2001:db8::1/64', { preferredSeconds: 0 }));
    assert.deepEqual(await state(world.kernel), [
      'eth0: 2001:db8::1/64 ours 300s noprefixroute deprecated',
    ]);
  });

  inWorld(
    contract,
    'duplicate address detection takes a while on a link with neighbours',
    async (world) => {
      world.addVeth('eth0', 'far0');
      await world.kernel.ensureVirtualLink('kube-lb0');
      await succeed(
        world.kernel,
        add('eth0', '2001:db8::1/64', { noDad: false }),
        add('eth0', '2001:db8::2/64'),
        add('kube-lb0', '2001:db8::3/128', { noDad: false }),
      );
      // Without neighbours it is over in no time, but not before a worker of the kernel ran.
      assert.deepEqual((await state(world.kernel)).slice(0, 2), [
        'eth0: 2001:db8::1/64 ours 300s noprefixroute tentative',
        'eth0: 2001:db8::2/64 ours 300s noprefixroute',
      ]);
      await world.waitForDad();
      assert.deepEqual(await state(world.kernel), [
        'eth0: 2001:db8::1/64 ours 300s noprefixroute',
        'eth0: 2001:db8::2/64 ours 300s noprefixroute',
        'kube-lb0: 2001:db8::3/128 ours 300s noprefixroute',
      ]);
    },
  );

  inWorld(
    contract,
    'a duplicate with a lifetime is removed, and the event says why',
    async (world) => {
      world.addVeth('eth0', 'far0');
      world.addForeign('far0', '2001:db8::1/64');
      await world.waitForDad();
      const { sees, stop } = listen(world.kernel);
      await succeed(world.kernel, add('eth0', '2001:db8::1/64', { noDad: false }));
      await world.waitForDad();
      assert.deepEqual(await state(world.kernel), ['far0: 2001:db8::1/64 foreign forever']);
      await sees(
        'address-removed eth0: 2001:db8::1/64 ours 300s noprefixroute tentative dadfailed',
      );
      stop();
    },
  );

  inWorld(contract, 'a permanent duplicate stays, marked as failed', async (world) => {
    world.addVeth('eth0', 'far0');
    world.addForeign('far0', '2001:db8::1/64');
    await world.waitForDad();
    await succeed(world.kernel, add('eth0', '2001:db8::1/64', { ...forEver, noDad: false }));
    await world.waitForDad();
    assert.deepEqual((await state(world.kernel)).slice(0, 1), [
      'eth0: 2001:db8::1/64 ours forever noprefixroute tentative dadfailed',
    ]);
  });

  inWorld(
    contract,
    'a link that is set down loses its IPv6 addresses and keeps IPv4',
    async (world) => {
      world.addVeth('eth0', 'far0');
      await succeed(world.kernel, add('eth0', '192.0.2.1/24'), add('eth0', '2001:db8::1/64'));
      world.setUp('eth0', false);
      const kept = ['eth0: 192.0.2.1/24 ours 300s noprefixroute'];
      assert.deepEqual(await state(world.kernel), kept);
      world.setUp('eth0', true);
      assert.deepEqual(await state(world.kernel), kept);
    },
  );

  inWorld(contract, 'a link that loses its carrier keeps everything', async (world) => {
    world.addVeth('eth0', 'far0');
    await succeed(world.kernel, add('eth0', '192.0.2.1/24'), add('eth0', '2001:db8::1/64'));
    world.setUp('far0', false);
    assert.deepEqual(await state(world.kernel), [
      'eth0: 192.0.2.1/24 ours 300s noprefixroute',
      'eth0: 2001:db8::1/64 ours 300s noprefixroute',
    ]);
  });

  inWorld(contract, 'a link that is removed takes its addresses along', async (world) => {
    world.addVeth('eth0', 'far0');
    await succeed(world.kernel, add('eth0', '192.0.2.1/24'), add('eth0', '2001:db8::1/64'));
    world.removeLink('eth0');
    assert.deepEqual(await state(world.kernel), []);
  });
}
