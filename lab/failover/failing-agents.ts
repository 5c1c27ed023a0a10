/** Agents that crash, hang and are restarted, while their nodes live on. */

import { setTimeout as sleep } from 'node:timers/promises';
import { nothing, type Scenario } from './scenario.ts';

export const agentKilled: Scenario = {
  name: 'agent kill -9, back after 2 s',
  stage: ({ world, ip }) => ({
    act: async () => {
      const { machines } = world.cluster;
      const node = world.holder(ip);
      await machines.killAgent(node);
      await sleep(2000);
      await machines.restartAgent(node);
    },
  }),
  settlesMs: 2000,
  limits: nothing,
};

export const crashLoop: Scenario = {
  name: 'agent crash loop',
  stage: ({ world, ip }) => ({
    act: async () => {
      const { machines } = world.cluster;
      const node = world.holder(ip);
      for (let crash = 0; crash < 4; crash += 1) {
        await machines.killAgent(node);
        await sleep(300);
        await machines.restartAgent(node);
      }
    },
  }),
  settlesMs: 2000,
  limits: nothing,
};

export function frozen(seconds: number): Scenario {
  return {
    name: `agent SIGSTOP ${seconds} s`,
    stage: ({ world, ip }) => ({
      act: async () => {
        const { machines } = world.cluster;
        const node = world.holder(ip);
        machines.freezeAgent(node);
        await sleep(seconds * 1000);
        machines.continueAgent(node);
      },
    }),
    settlesMs: 2000,
    limits: nothing,
    isSlow: true,
    seconds: seconds + 8,
  };
}

export const rollingRestart: Scenario = {
  name: 'rolling restart of all agents',
  stage: ({ world }) => ({
    act: async () => {
      const { nodes, machines } = world.cluster;
      for (const { name } of nodes) await machines.restartAgent(name);
    },
  }),
  settlesMs: 2000,
  limits: nothing,
  isSlow: true,
  seconds: 12,
};

export const restartAtOnce: Scenario = {
  name: 'all agents restarted at once',
  stage: ({ world }) => ({ act: () => world.cluster.machines.restartAllAgents() }),
  settlesMs: 2000,
  limits: nothing,
};
