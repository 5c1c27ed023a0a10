import { execFileSync, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { enterFreshNamespace } from '../../lab/fresh-namespace.ts';
import { missing } from '../../lab/missing.ts';
import { kernelContract } from './kernel.contract.ts';
import { type KernelWorld, NotOnThisKernel } from './kernel-world.contract.ts';
import { NetlinkKernel } from './netlink-kernel.ts';

function ip(command: string): void {
  execFileSync('ip', command.split(' '), { stdio: ['ignore', 'ignore', 'pipe'] });
}

function isDone(command: string): boolean {
  return spawnSync('ip', command.split(' ')).status === 0;
}

/** A tenth of the usual second, and no random delay before it. */
function hurryDad(link: string): void {
  writeFileSync(`/proc/sys/net/ipv6/neigh/${link}/retrans_time_ms`, '100');
  writeFileSync(`/proc/sys/net/ipv6/conf/${link}/router_solicitation_delay`, '0');
}

function makeWorld(): KernelWorld {
  enterFreshNamespace();
  return {
    kernel: new NetlinkKernel(),
    addVeth(name, peer) {
      ip(`link add dev ${name} type veth peer name ${peer}`);
      hurryDad(name);
      hurryDad(peer);
      ip(`link set dev ${peer} up`);
      ip(`link set dev ${name} up`);
    },
    addVirtual(name) {
      if (!isDone(`link add dev ${name} type dummy`)) ip(`link add dev ${name} type ifb`);
    },
    addBridge: (name) => isDone(`link add dev ${name} type bridge`),
    removeLink: (name) => ip(`link del dev ${name}`),
    renameLink(name, newName) {
      if (isDone(`link set dev ${name} name ${newName}`)) return;
      throw new NotOnThisKernel('renaming a link that is up takes Linux 6.2');
    },
    setUp: (name, isUp) => ip(`link set dev ${name} ${isUp ? 'up' : 'down'}`),
    addForeign: (link, prefix) => ip(`addr add ${prefix} dev ${link}`),
    removeAddress: (link, prefix) => ip(`addr del ${prefix} dev ${link}`),
    promoteSecondaries: () => writeFileSync('/proc/sys/net/ipv4/conf/all/promote_secondaries', '1'),
    waitForDad: () => sleep(500),
    wait: (seconds) => sleep(seconds * 1000),
  };
}

kernelContract('NetlinkKernel', makeWorld, missing('ip'));
