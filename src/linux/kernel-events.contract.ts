import assert from 'node:assert/strict';
import {
  add,
  forEver,
  inWorld,
  type KernelContract,
  listen,
  refresh,
  remove,
  samples,
  succeed,
} from './kernel-world.contract.ts';

export function eventContract(contract: KernelContract): void {
  for (const { family, one, network } of samples) {
    inWorld(contract, `${family}: tells of addresses that come, change and go`, async (world) => {
      world.addVeth('eth0', 'far0');
      const { sees, stop } = listen(world.kernel);
      await succeed(world.kernel, add('eth0', one));
      await sees(`address-added eth0: ${one} ours 300s noprefixroute`);
      await succeed(world.kernel, refresh('eth0', one, { validSeconds: 600 }));
      await sees(`address-added eth0: ${one} ours 600s noprefixroute`);
      await succeed(world.kernel, remove('eth0', one));
      await sees(`address-removed eth0: ${one} ours 600s noprefixroute`);
      stop();
    });

    inWorld(contract, `${family}: tells of what others do`, async (world) => {
      world.addVeth('eth0', 'far0');
      const { log, stop, sees } = listen(world.kernel);
      await succeed(world.kernel, add('eth0', one));
      await sees(`address-added eth0: ${one} ours 300s noprefixroute`);
      world.removeAddress('eth0', one);
      await sees(`address-removed eth0: ${one} ours 300s noprefixroute`);
      world.addForeign('eth0', one);
      const tentative = family === 'ipv6' ? ' tentative' : '';
      await sees(`address-added eth0: ${one} foreign forever${tentative}`);
      stop();
      assert.equal(log.includes('resync'), false);
    });

    inWorld(contract, `${family}: tells of routes`, async (world) => {
      world.addVeth('eth0', 'far0');
      const { sees, stop } = listen(world.kernel);
      const destination = network.split('/')[0];
      await succeed(world.kernel, add('eth0', one, { ...forEver, noPrefixRoute: false }));
      await sees(`route-added ${destination}`);
      await succeed(world.kernel, remove('eth0', one));
      await sees(`route-removed ${destination}`);
      stop();
    });
  }

  inWorld(contract, 'tells of links that come, change and go', async (world) => {
    const { sees, stop } = listen(world.kernel);
    world.addVeth('eth0', 'far0');
    await sees('link-added eth0', 'link-added far0', 'link-changed eth0', 'link-changed far0');
    world.renameLink('eth0', 'lan0');
    await sees('link-changed lan0');
    world.removeLink('lan0');
    await sees('link-removed lan0', 'link-removed far0');
    stop();
  });

  inWorld(
    contract,
    'addresses are told with the name of a link that was just made',
    async (world) => {
      const { sees, stop } = listen(world.kernel);
      await world.kernel.ensureVirtualLink('kube-lb0');
      await succeed(world.kernel, add('kube-lb0', '192.0.2.1/32'));
      await sees('address-added kube-lb0: 192.0.2.1/32 ours 300s noprefixroute');
      stop();
    },
  );

  inWorld(contract, 'each listener hears everything until it stops', async (world) => {
    world.addVeth('eth0', 'far0');
    const first = listen(world.kernel);
    const second = listen(world.kernel);
    await succeed(world.kernel, add('eth0', '192.0.2.1/32'));
    await first.sees('address-added eth0: 192.0.2.1/32 ours 300s noprefixroute');
    await second.sees('address-added eth0: 192.0.2.1/32 ours 300s noprefixroute');
    first.stop();
    first.stop();
    const heard = first.log.length;
    await succeed(world.kernel, add('eth0', '192.0.2.2/32'));
    await second.sees('address-added eth0: 192.0.2.2/32 ours 300s noprefixroute');
    assert.equal(first.log.length, heard);
  });
}
