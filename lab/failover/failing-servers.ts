/** API servers that are away, slow or broken. */

import { setTimeout as sleep } from 'node:timers/promises';
import type { FaultRule } from '../api/faults/fault.ts';
import { agentUser } from '../cluster/installed-objects.ts';
import { failover, nothing, type Scale, type Scenario } from './scenario.ts';

export function apiAway({ apiAwayS }: Scale): Scenario {
  return {
    name: `API server away for ${apiAwayS} s`,
    stage: ({ world: { cluster } }) => ({
      act: async () => {
        cluster.takeApiAway();
        await sleep(apiAwayS * 1000);
        cluster.giveApiBack();
      },
    }),
    settlesMs: 3000,
    limits: nothing,
    isSlow: true,
    seconds: apiAwayS + 8,
  };
}

export function deathInOutage({ apiAwayS }: Scale): Scenario {
  return {
    name: `API server away for ${apiAwayS} s, node power-cut inside`,
    stage: ({ world, ip }) => {
      const { cluster } = world;
      const node = world.holder(ip);
      return {
        act: async () => {
          cluster.takeApiAway();
          await sleep(apiAwayS * 400);
          await cluster.machines.powerOff(node);
          await sleep(apiAwayS * 600);
          cluster.giveApiBack();
        },
        heal: () => cluster.machines.powerOn(node),
      };
    },
    settlesMs: 3000,
    limits: failover,
    isSlow: true,
    seconds: apiAwayS + 12,
  };
}

/** For the agents: what becomes of kubelets then is not what is measured here. */
export function withApiFault(
  name: string,
  fault: FaultRule['fault'],
  { apiFaultS }: Scale,
): Scenario {
  return {
    name,
    stage: ({ world: { cluster } }) => ({
      act: async () => {
        const handle = cluster.api.embedded?.faults.add({ match: { user: agentUser }, fault });
        await sleep(apiFaultS * 1000);
        handle?.remove();
      },
    }),
    settlesMs: 2000,
    limits: nothing,
    isSlow: true,
    seconds: apiFaultS + 7,
  };
}
