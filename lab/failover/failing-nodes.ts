/** Nodes that die, are cut off, and return. */

import { setTimeout as sleep } from 'node:timers/promises';
import { rankNodes } from '../../src/decide/announcement/rank-nodes.ts';
import { partition } from '../faults/partition.ts';
import { Crowd } from './crowd.ts';
import { failover, type Limits, nothing, type Scale, type Scenario } from './scenario.ts';

export const powerCut: Scenario = {
  name: 'node power-cut',
  stage: ({ world, ip }) => {
    const { machines } = world.cluster;
    const node = world.holder(ip);
    return { act: () => machines.powerOff(node), heal: () => machines.powerOn(node) };
  },
  settlesMs: 4000,
  limits: failover,
};

const quick = { probeInterval: '30ms', misses: 4, confirmPeriod: '30ms' };
const usual = { probeInterval: null, misses: null, confirmPeriod: null };

/** As fast as one would set it in a quiet network of one rack. */
export const tunedPowerCut: Scenario = {
  name: `node power-cut, probes every ${quick.probeInterval}`,
  stage: async ({ world, ip }) => {
    const { machines } = world.cluster;
    const node = world.holder(ip);
    await world.configure({ failover: quick });
    // Until every agent has heard of it.
    await sleep(1000);
    return {
      act: () => machines.powerOff(node),
      heal: async () => {
        await world.configure({ failover: usual });
        await machines.powerOn(node);
      },
    };
  },
  settlesMs: 4000,
  limits: failover,
};

export function cut(name: string, how: 'unplugged' | 'cut', limits: Limits): Scenario {
  return {
    name,
    stage: ({ world, ip }) => {
      const { machines } = world.cluster;
      const node = world.holder(ip);
      return { act: () => machines.cutLink(node, how), heal: () => machines.mendLink(node) };
    },
    settlesMs: 4000,
    limits,
  };
}

/** The holder, and the one that would take over from it. */
export const twoDie: Scenario = {
  name: 'two nodes die at once',
  stage: ({ world, ip }) => {
    const { machines } = world.cluster;
    const holder = world.holder(ip);
    const heirs = rankNodes(
      ip,
      world.candidates.filter((node) => node !== holder),
    );
    const dying = [holder, ...heirs.slice(0, 1)];
    return {
      act: async () => {
        await Promise.all(dying.map((node) => machines.powerOff(node)));
      },
      heal: async () => {
        await Promise.all(dying.map((node) => machines.powerOn(node)));
      },
    };
  },
  settlesMs: 5000,
  limits: failover,
};

export function crowdedDeath({ services }: Scale): Scenario {
  return {
    name: `node power-cut with ${2 * services} addresses`,
    stage: async ({ world, ip }) => {
      const { machines } = world.cluster;
      const node = world.holder(ip);
      const crowd = await Crowd.gather(world, node, services - 1);
      return {
        act: () => machines.powerOff(node),
        heal: async () => {
          await machines.powerOn(node);
          await crowd.leave();
        },
      };
    },
    settlesMs: 4000,
    limits: { ...failover, spreadMs: 200 },
    isSlow: true,
    seconds: 10 + services / 8,
  };
}

export const allReboot: Scenario = {
  name: 'all nodes of the network reboot',
  stage: ({ world }) => {
    const { machines } = world.cluster;
    return {
      act: async () => {
        await Promise.all(world.candidates.map((node) => machines.powerOff(node)));
        await Promise.all(world.candidates.map((node) => machines.powerOn(node)));
      },
    };
  },
  settlesMs: 8000,
  // Nobody is there to answer until a node has booted; then it is a matter of seconds.
  limits: { outageMs: 15_000, moves: 1, twoHoldersMs: 1000 },
  isSlow: true,
  seconds: 13,
};

export const nodeReturns: Scenario = {
  name: 'node return',
  stage: async ({ world, ip }) => {
    const { machines } = world.cluster;
    const node = world.holder(ip);
    await machines.powerOff(node);
    for (const each of Object.values(world.ips)) await world.held(each);
    return { act: () => machines.powerOn(node) };
  },
  settlesMs: 4000,
  limits: nothing,
};

export const healedPartition: Scenario = {
  name: 'partition of 4 s, and heal',
  stage: ({ world, ip }) => {
    const host = world.cluster.lab.host(world.holder(ip));
    return {
      act: async () => {
        await using _fault = await partition(host.nic().segment, [[host]]);
        await sleep(4000);
      },
    };
  },
  settlesMs: 4000,
  // Two have it while they cannot hear each other, and a second after.
  limits: { outageMs: 1000, moves: 2, twoHoldersMs: 4500 },
};
