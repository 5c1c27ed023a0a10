import assert from 'node:assert/strict';
import {
  add,
  describeFailure,
  forEver,
  inWorld,
  type KernelContract,
  refresh,
  remove,
  routeState,
  samples,
  state,
  succeed,
} from './kernel-world.contract.ts';

export function addressContract(contract: KernelContract): void {
  for (const { family, one, two, host, network } of samples) {
    const ip = one.split('/')[0];

    inWorld(contract, `${family}: an added address is there with our mark`, async (world) => {
      world.addVeth('eth0', 'far0');
      await succeed(world.kernel, add('eth0', one), add('eth0', host, forEver));
      assert.deepEqual(await state(world.kernel), [
        `eth0: ${one} ours 300s noprefixroute`,
        `eth0: ${host} ours forever noprefixroute`,
      ]);
    });

    inWorld(contract, `${family}: adding a present address renews it`, async (world) => {
      world.addVeth('eth0', 'far0');
      await succeed(world.kernel, add('eth0', one));
      await succeed(world.kernel, add('eth0', one, { validSeconds: 600 }));
      assert.deepEqual(await state(world.kernel), [`eth0: ${one} ours 600s noprefixroute`]);
    });

    inWorld(contract, `${family}: a refresh sets the lifetime, shorter ones too`, async (world) => {
      world.addVeth('eth0', 'far0');
      await succeed(world.kernel, add('eth0', one));
      for (const [seconds, shown] of [
        [900, '900s'],
        [100, '100s'],
        [Infinity, 'forever'],
        [200, '200s'],
      ] as const) {
        const lifetime = { validSeconds: seconds, preferredSeconds: seconds };
        await succeed(world.kernel, refresh('eth0', one, lifetime));
        assert.deepEqual(await state(world.kernel), [`eth0: ${one} ours ${shown} noprefixroute`]);
      }
    });

    inWorld(contract, `${family}: a refresh brings back an absent address`, async (world) => {
      world.addVeth('eth0', 'far0');
      await succeed(world.kernel, refresh('eth0', one));
      assert.deepEqual(await state(world.kernel), [`eth0: ${one} ours 300s noprefixroute`]);
    });

    inWorld(contract, `${family}: removing is done once, and then already so`, async (world) => {
      world.addVeth('eth0', 'far0');
      await succeed(world.kernel, add('eth0', one), add('eth0', host));
      await succeed(world.kernel, remove('eth0', one));
      await succeed(world.kernel, remove('eth0', one), remove('nowhere', one));
      assert.deepEqual(await state(world.kernel), [`eth0: ${host} ours 300s noprefixroute`]);
    });

    inWorld(contract, `${family}: one failure does not stop the others`, async (world) => {
      world.addVeth('eth0', 'far0');
      const failures = await world.kernel.apply([
        add('nowhere', one),
        add('eth0', two, { validSeconds: 0, preferredSeconds: 0 }),
        add('a-name-that-no-link-can-have', one),
        refresh('nowhere', one),
        add('eth0', host),
      ]);
      assert.deepEqual(failures.map(describeFailure), [
        `add ${ip}: LinkGone`,
        `add ${two.split('/')[0]}: Refused EINVAL`,
        `add ${ip}: LinkGone`,
        `refresh ${ip}: LinkGone`,
      ]);
      assert.deepEqual(await state(world.kernel), [`eth0: ${host} ours 300s noprefixroute`]);
    });

    inWorld(contract, `${family}: changes are carried out in their order`, async (world) => {
      world.addVeth('eth0', 'far0');
      await succeed(world.kernel, add('eth0', one), remove('eth0', one), add('eth0', host));
      await succeed(world.kernel, remove('eth0', host), add('eth0', host, { validSeconds: 600 }));
      assert.deepEqual(await state(world.kernel), [`eth0: ${host} ours 600s noprefixroute`]);
    });

    inWorld(
      contract,
      `${family}: changes asked for at the same time are all done`,
      async (world) => {
        world.addVeth('eth0', 'far0');
        const results = await Promise.all([
          world.kernel.apply([add('eth0', one)]),
          world.kernel.apply([remove('eth0', one), add('eth0', two)]),
          world.kernel.apply([add('eth0', host)]),
        ]);
        assert.deepEqual(results, [[], [], []]);
        assert.deepEqual(await state(world.kernel), [
          `eth0: ${two} ours 300s noprefixroute`,
          `eth0: ${host} ours 300s noprefixroute`,
        ]);
      },
    );

    inWorld(contract, `${family}: the prefix route comes and goes with its flag`, async (world) => {
      world.addVeth('eth0', 'far0');
      const routes: (readonly string[])[] = [];
      for (const noPrefixRoute of [true, false, true]) {
        await succeed(world.kernel, refresh('eth0', one, { ...forEver, noPrefixRoute }));
        routes.push(await routeState(world.kernel));
      }
      assert.deepEqual(routes, [[], [`${network} eth0 metric 7472`], []]);
    });

    inWorld(
      contract,
      `${family}: a renamed link keeps its addresses under the new name`,
      async (world) => {
        world.addVeth('eth0', 'far0');
        await succeed(world.kernel, add('eth0', one));
        world.renameLink('eth0', 'lan0');
        const failures = await world.kernel.apply([refresh('eth0', one)]);
        assert.deepEqual(failures.map(describeFailure), [`refresh ${ip}: LinkGone`]);
        await succeed(world.kernel, refresh('lan0', one, { validSeconds: 600 }));
        assert.deepEqual(await state(world.kernel), [`lan0: ${one} ours 600s noprefixroute`]);
      },
    );
  }

  inWorld(contract, 'one IPv4 address may have several prefix lengths', async (world) => {
    world.addVeth('eth0', 'far0');
    await succeed(world.kernel, add('eth0', '192.0.2.1/24'), add('eth0', '192.0.2.1/32'));
    await succeed(world.kernel, remove('eth0', '192.0.2.1/24'));
    assert.deepEqual(await state(world.kernel), ['eth0: 192.0.2.1/32 ours 300s noprefixroute']);
  });

  inWorld(
    contract,
    'an IPv6 address changes its prefix length by being added anew',
    async (world) => {
      world.addVeth('eth0', 'far0');
      await succeed(world.kernel, add('eth0', '2001:db8::1/64'));
      await succeed(world.kernel, add('eth0', '2001:db8::1/128'), remove('eth0', '2001:db8::1/64'));
      assert.deepEqual(await state(world.kernel), [
        'eth0: 2001:db8::1/128 ours 300s noprefixroute',
      ]);
    },
  );
}
