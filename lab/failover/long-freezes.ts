/** Agents that stand still for longer than the kernel keeps what they hold. */

import { setTimeout as sleep } from 'node:timers/promises';
import { mergePatch } from '../../src/kube/patch.ts';
import { leases } from '../../src/kube/resources.ts';
import { NetlinkKernel } from '../../src/linux/netlink-kernel.ts';
import { leaseAnnotations } from '../../src/model/annotations.ts';
import { installNamespace } from '../cluster/installed-objects.ts';
import { inNamespace } from '../in-namespace.ts';
import type { Host } from '../network/host.ts';
import type { FailoverWorld } from './failover-world.ts';
import { planned, type Scenario } from './scenario.ts';

const shortS = 5;

/**
 * The shortest lifetime that can be configured is a minute. So that it need not be waited for, the frozen agent's
 * kernel and Lease are told a shorter one, as if most of it had passed.
 */
export const frozenBeyondShort: Scenario = {
  name: `agent SIGSTOP longer than what is left of a lifetime, ${shortS} s`,
  stage: ({ world, ip }) => {
    const { machines, lab } = world.cluster;
    const node = world.holder(ip);
    return {
      act: async () => {
        machines.freezeAgent(node);
        await Promise.all([shorten(lab.host(node)), tell(world, node)]);
        await sleep((shortS + 2) * 1000);
        machines.continueAgent(node);
      },
    };
  },
  settlesMs: 2000,
  limits: planned,
  isSlow: true,
  seconds: 11,
};

async function shorten(host: Host): Promise<void> {
  const kernel = inNamespace(host.namespace, () => new NetlinkKernel());
  try {
    const held = await kernel.addresses();
    const ours = held.filter(({ isOurs, link }) => isOurs && link === 'eth0');
    const changes = ours.map(
      ({ link, ip, prefixLength, preferredSeconds, noPrefixRoute }) =>
        ({
          kind: 'refresh',
          address: {
            ...{ link, ip, prefixLength, noPrefixRoute, noDad: true, validSeconds: shortS },
            preferredSeconds: Math.min(preferredSeconds, shortS),
          },
        }) as const,
    );
    const [failure] = await kernel.apply(changes);
    if (failure !== undefined) throw new Error(failure.words);
  } finally {
    kernel.close();
  }
}

/** As if it had renewed just now, and for the last time. */
async function tell({ cluster: { cluster } }: FailoverWorld, node: string): Promise<void> {
  const patch = mergePatch({
    metadata: { annotations: { [leaseAnnotations.lifetimes]: String(shortS) } },
    spec: { leaseDurationSeconds: 2, renewTime: new Date().toISOString().replace('Z', '000Z') },
  });
  await cluster.patch(leases, { namespace: installNamespace, name: `purelb-node-${node}` }, patch);
}

/** The real thing. */
export const frozenBeyondMinute: Scenario = {
  name: 'agent SIGSTOP longer than a lifetime of 60 s',
  stage: async ({ world, ip }) => {
    const { machines } = world.cluster;
    await setLifetime(world, 60);
    const node = world.holder(ip);
    return {
      act: async () => {
        machines.freezeAgent(node);
        await sleep(70_000);
        machines.continueAgent(node);
      },
      heal: () => setLifetime(world, null),
    };
  },
  settlesMs: 2000,
  limits: planned,
  isSlow: true,
  seconds: 80,
};

async function setLifetime(world: FailoverWorld, seconds: number | null): Promise<void> {
  await world.configure({ addressConfig: { localInterface: { validLifetime: seconds } } });
  // All agents refresh what they hold, and say so in their Leases.
  await sleep(2000);
}
