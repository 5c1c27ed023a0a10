import assert from 'node:assert/strict';
import {
  add,
  describeFailure,
  inWorld,
  type KernelContract,
  type KernelWorld,
  refresh,
  remove,
  samples,
  state,
  succeed,
} from './kernel-world.contract.ts';

export function ownershipContract(contract: KernelContract): void {
  for (const { family, one, two } of samples) {
    const ip = one.split('/')[0];

    inWorld(contract, `${family}: a foreign address is left alone`, async (world) => {
      world.addVeth('eth0', 'far0');
      world.addForeign('eth0', one);
      await world.waitForDad();
      const before = await state(world.kernel);
      for (const change of [add, refresh, remove]) {
        const failures = await world.kernel.apply([change('eth0', one), add('far0', two)]);
        assert.deepEqual(failures.map(describeFailure), [`${change.name} ${ip}: ForeignAddress`]);
        assert.match(failures[0]?.words ?? '', /was not put there by PureLB/);
        assert.deepEqual((await state(world.kernel)).slice(0, 1), before);
      }
    });

    inWorld(contract, `${family}: what one process marked, another recognises`, async (world) => {
      world.addVeth('eth0', 'far0');
      await succeed(world.kernel, add('eth0', one));
      const held = (await world.kernel.addresses()).filter(({ isOurs }) => isOurs);
      assert.deepEqual(
        held.map((address) => address.ip),
        [ip],
      );
    });
  }

  inWorld(
    contract,
    'a foreign IPv6 address of another prefix length is left alone',
    async (world) => {
      world.addVeth('eth0', 'far0');
      world.addForeign('eth0', '2001:db8::1/64');
      const failures = await world.kernel.apply([add('eth0', '2001:db8::1/128')]);
      assert.deepEqual(failures.map(describeFailure), ['add 2001:db8::1: ForeignAddress']);
    },
  );

  inWorld(contract, 'an address beside a foreign one of its prefix is secondary', async (world) => {
    world.addVeth('eth0', 'far0');
    world.addForeign('eth0', '192.0.2.10/24');
    await succeed(world.kernel, add('eth0', '192.0.2.1/24'));
    assert.deepEqual(await state(world.kernel), [
      'eth0: 192.0.2.1/24 ours 300s noprefixroute secondary',
      'eth0: 192.0.2.10/24 foreign forever',
    ]);
  });

  inWorld(contract, 'whoever removes a primary removes its secondaries', async (world) => {
    world.addVeth('eth0', 'far0');
    world.addForeign('eth0', '192.0.2.10/24');
    await succeed(world.kernel, add('eth0', '192.0.2.1/24'), add('eth0', '192.0.2.2/32'));
    world.removeAddress('eth0', '192.0.2.10/24');
    assert.deepEqual(await state(world.kernel), ['eth0: 192.0.2.2/32 ours 300s noprefixroute']);
  });

  inWorld(contract, 'unless told to promote them, as systemd does', async (world) => {
    world.promoteSecondaries();
    world.addVeth('eth0', 'far0');
    world.addForeign('eth0', '192.0.2.10/24');
    await succeed(world.kernel, add('eth0', '192.0.2.1/24'), add('eth0', '192.0.2.2/24'));
    world.removeAddress('eth0', '192.0.2.10/24');
    assert.deepEqual(await state(world.kernel), [
      'eth0: 192.0.2.1/24 ours 300s noprefixroute',
      'eth0: 192.0.2.2/24 ours 300s noprefixroute secondary',
    ]);
  });

  for (const how of ['with', 'without']) primaryContract(contract, how);
}

/** Removing our primary must have the same outcome whatever the sysctl says. */
function primaryContract(contract: KernelContract, how: string): void {
  const prepare = (world: KernelWorld) => {
    if (how === 'with') world.promoteSecondaries();
    world.addVeth('eth0', 'far0');
  };

  inWorld(
    contract,
    `removing our primary keeps its secondaries, ${how} promotion`,
    async (world) => {
      prepare(world);
      await succeed(world.kernel, add('eth0', '192.0.2.1/24'), add('eth0', '192.0.2.2/24'));
      world.addForeign('eth0', '192.0.2.10/24');
      await succeed(world.kernel, add('eth0', '192.0.2.3/24'), remove('eth0', '192.0.2.1/24'));
      assert.deepEqual(await state(world.kernel), [
        'eth0: 192.0.2.10/24 foreign forever secondary',
        'eth0: 192.0.2.2/24 ours 300s noprefixroute',
        'eth0: 192.0.2.3/24 ours 300s noprefixroute secondary',
      ]);
    },
  );

  inWorld(contract, `so does changing its route flag, ${how} promotion`, async (world) => {
    prepare(world);
    await succeed(world.kernel, add('eth0', '192.0.2.1/24'), add('eth0', '192.0.2.2/24'));
    await succeed(world.kernel, refresh('eth0', '192.0.2.1/24', { noPrefixRoute: false }));
    assert.deepEqual(await state(world.kernel), [
      'eth0: 192.0.2.1/24 ours 300s secondary',
      'eth0: 192.0.2.2/24 ours 300s noprefixroute',
    ]);
  });

  inWorld(
    contract,
    `all of a prefix but one are removed at once, ${how} promotion`,
    async (world) => {
      prepare(world);
      const ours = Array.from({ length: 100 }, (_, index) => `192.0.2.${index + 1}/24`);
      await succeed(world.kernel, ...ours.map((prefix) => add('eth0', prefix)));
      world.addForeign('eth0', '192.0.2.200/24');
      const doomed = ours.filter((prefix) => prefix !== '192.0.2.50/24');
      await succeed(world.kernel, ...doomed.map((prefix) => remove('eth0', prefix)));
      assert.deepEqual(
        (await state(world.kernel)).map((line) => line.replace(' secondary', '')),
        ['eth0: 192.0.2.200/24 foreign forever', 'eth0: 192.0.2.50/24 ours 300s noprefixroute'],
      );
    },
  );
}
