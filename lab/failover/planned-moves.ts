/** Moves that somebody wants. */

import { Crowd } from './crowd.ts';
import { planned, type Scale, type Scenario } from './scenario.ts';

/** `kubectl drain`, and the agent is told to go: the node is about to be switched off. */
export const drained: Scenario = {
  name: 'drain, agent stopped',
  stage: ({ world, ip }) => {
    const { cluster } = world;
    const node = world.holder(ip);
    return {
      act: async () => {
        await cluster.drain(node);
        await cluster.machines.stopAgent(node);
      },
      heal: async () => {
        await cluster.uncordon(node);
        await cluster.machines.restartAgent(node);
      },
    };
  },
  settlesMs: 3000,
  limits: planned,
};

export const excluded: Scenario = {
  name: 'exclude label',
  stage: ({ world, ip }) => {
    const node = world.holder(ip);
    return { act: () => world.exclude(node, true), heal: () => world.exclude(node, false) };
  },
  settlesMs: 4000,
  limits: planned,
};

export const moved: Scenario = {
  name: 'move by annotation',
  stage: ({ world, ip }) => {
    const holder = world.holder(ip);
    const target = world.candidates.find((node) => node !== holder) ?? holder;
    const wish = Object.values(world.ips).map((each) => `${each}=${target}`);
    return {
      act: () => world.annotate({ 'purelb.io/move': wish.join() }),
      heal: () => world.annotate({ 'purelb.io/move': null }),
    };
  },
  settlesMs: 4000,
  limits: planned,
};

/** All that a node has, to another one, by a wish on each Service. */
export function rebalance({ rebalanced }: Scale): Scenario {
  return {
    name: `rebalance of ${2 * rebalanced} addresses`,
    stage: async ({ world, ip }) => {
      const holder = world.holder(ip);
      const target = world.candidates.find((node) => node !== holder) ?? holder;
      const crowd = await Crowd.gather(world, holder, rebalanced - 1);
      const wish = Object.values(world.ips).map((each) => `${each}=${target}`);
      return {
        act: async () => {
          await world.annotate({ 'purelb.io/move': wish.join(',') });
          await crowd.move(target);
        },
        heal: async () => {
          await world.annotate({ 'purelb.io/move': null });
          await crowd.leave();
        },
      };
    },
    settlesMs: 5000,
    limits: planned,
    isSlow: true,
    seconds: 12 + rebalanced / 8,
  };
}
