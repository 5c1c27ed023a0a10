/** API servers that are away, slow or broken. */

import { setTimeout as sleep } from 'node:timers/promises';
import type { FaultRule } from '../api/faults/fault.ts';
import { agentUser } from '../cluster/installed-objects.ts';
import { failover, nothing, type Scenario } from './scenario.ts';

export const apiAway: Scenario = {
  name: 'API server away for 10 s',
  stage: ({ world: { cluster } }) => ({
    act: async () => {
      cluster.takeApiAway();
      await sleep(10_000);
      cluster.giveApiBack();
    },
  }),
  settlesMs: 3000,
  limits: nothing,
  isSlow: true,
};

export const deathInOutage: Scenario = {
  name: 'node power-cut while the API server is away',
  stage: ({ world, ip }) => {
    const { cluster } = world;
    const node = world.holder(ip);
    return {
      act: async () => {
        cluster.takeApiAway();
        await sleep(3000);
        await cluster.machines.powerOff(node);
        await sleep(4000);
        cluster.giveApiBack();
      },
      heal: () => cluster.machines.powerOn(node),
    };
  },
  settlesMs: 3000,
  limits: failover,
  isSlow: true,
};

/** For the agents: what becomes of kubelets then is not what is measured here. */
export function withApiFault(name: string, fault: FaultRule['fault']): Scenario {
  return {
    name,
    stage: ({ world: { cluster } }) => ({
      act: async () => {
        const handle = cluster.api.embedded?.faults.add({ match: { user: agentUser }, fault });
        await sleep(8000);
        handle?.remove();
      },
    }),
    settlesMs: 2000,
    limits: nothing,
    isSlow: true,
  };
}
