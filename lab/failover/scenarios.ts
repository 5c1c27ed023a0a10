/** What can happen to a cluster, by name, with what may come of it. */

import { setTimeout as sleep } from 'node:timers/promises';
import type { Ip } from '../../src/model/ip.ts';
import type { FaultRule } from '../api/faults/fault.ts';
import { agentUser } from '../cluster/installed-objects.ts';
import { partition } from '../faults/partition.ts';
import type { FailoverWorld } from './failover-world.ts';

export interface Trial {
  readonly world: FailoverWorld;
  /** The address that is measured. */
  readonly ip: Ip;
}

export interface Scenario {
  readonly name: string;
  /** Before the clients start: makes everything ready for it. */
  readonly stage: (trial: Trial) => Staged | Promise<Staged>;
  /** How long the clients go on after it. */
  readonly settlesMs: number;
  readonly limits: Limits;
  /** Takes long: fewer runs will do. */
  readonly isSlow?: boolean;
}

export interface Staged {
  readonly act: () => Promise<void>;
  /** After the clients have stopped. */
  readonly heal?: () => Promise<void>;
}

/** What a scenario promises. */
export interface Limits {
  readonly outageMs: number;
  readonly lost?: number;
  readonly moves: number;
  /** It is to move at all. */
  readonly leastMoves?: number;
  readonly twoHoldersMs: number;
  readonly spreadMs?: number;
}

/** Nothing is lost, and nothing moves. */
const nothing: Limits = { outageMs: 0, lost: 0, moves: 0, twoHoldersMs: 0 };
const failover: Limits = { outageMs: 1000, moves: 1, twoHoldersMs: 1000 };
const planned: Limits = { outageMs: 0, lost: 0, moves: 1, leastMoves: 1, twoHoldersMs: 2000 };
/** A node that is cut off keeps what it has until it is back: a second holder that nobody can reach. */
const unreachable = { twoHoldersMs: 10_000 };

const powerCut: Scenario = {
  name: 'node power-cut',
  stage: ({ world, ip }) => {
    const { machines } = world.cluster;
    const node = world.holder(ip);
    return { act: () => machines.powerOff(node), heal: () => machines.powerOn(node) };
  },
  settlesMs: 4000,
  limits: failover,
};

function cut(name: string, how: 'unplugged' | 'cut', limits: Limits): Scenario {
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

const twoDie: Scenario = {
  name: 'two nodes die at once',
  stage: ({ world, ip }) => {
    const { machines } = world.cluster;
    const holder = world.holder(ip);
    const others = world.candidates.filter((node) => node !== holder);
    const dying = [holder, ...others.slice(0, 1)];
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
  limits: { ...failover, outageMs: 2000 },
};

/** With 99 Services more of both families. */
const many: Scenario = {
  name: 'node power-cut with 200 addresses',
  stage: async ({ world, ip }) => {
    const { machines } = world.cluster;
    const node = world.holder(ip);
    const remove = await world.crowd(node, 99);
    return {
      act: () => machines.powerOff(node),
      heal: async () => {
        await machines.powerOn(node);
        await remove();
      },
    };
  },
  settlesMs: 5000,
  limits: { ...failover, spreadMs: 200 },
  isSlow: true,
};

const allReboot: Scenario = {
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
};

const nodeReturns: Scenario = {
  name: 'node return',
  stage: async ({ world, ip }) => {
    const { machines } = world.cluster;
    const node = world.holder(ip);
    await machines.powerOff(node);
    await world.held(ip);
    return { act: () => machines.powerOn(node) };
  },
  settlesMs: 4000,
  limits: nothing,
};

const agentKilled: Scenario = {
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

const crashLoop: Scenario = {
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

function frozen(seconds: number): Scenario {
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
  };
}

const rollingRestart: Scenario = {
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
};

const restartAtOnce: Scenario = {
  name: 'all agents restarted at once',
  stage: ({ world }) => ({ act: () => world.cluster.machines.restartAllAgents() }),
  settlesMs: 2000,
  limits: nothing,
};

/** `kubectl drain`, and the agent is told to go: the node is about to be switched off. */
const drained: Scenario = {
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

const excluded: Scenario = {
  name: 'exclude label',
  stage: ({ world, ip }) => {
    const node = world.holder(ip);
    return { act: () => world.exclude(node, true), heal: () => world.exclude(node, false) };
  },
  settlesMs: 4000,
  limits: planned,
};

const moved: Scenario = {
  name: 'move by annotation',
  stage: ({ world, ip }) => {
    const holder = world.holder(ip);
    const target = world.candidates.find((node) => node !== holder) ?? holder;
    return {
      act: () => world.annotate({ 'purelb.io/move': `${ip}=${target}` }),
      heal: () => world.annotate({ 'purelb.io/move': null }),
    };
  },
  settlesMs: 4000,
  limits: planned,
};

const apiAway: Scenario = {
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

const deathInOutage: Scenario = {
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
function withApiFault(name: string, fault: FaultRule['fault']): Scenario {
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

const healedPartition: Scenario = {
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
  limits: { outageMs: 1000, moves: 2, twoHoldersMs: 6000 },
};

export const scenarios: readonly Scenario[] = [
  powerCut,
  cut('NIC cut', 'unplugged', { ...failover, ...unreachable }),
  cut('switch-port cut, carrier stays', 'cut', { ...failover, ...unreachable }),
  twoDie,
  many,
  allReboot,
  nodeReturns,
  agentKilled,
  crashLoop,
  frozen(15),
  rollingRestart,
  restartAtOnce,
  drained,
  excluded,
  moved,
  apiAway,
  deathInOutage,
  withApiFault('API latency 5 s', { kind: 'latency', ms: 5000 }),
  withApiFault('API answers 500, watches stay open', { kind: 'status', code: 500 }),
  healedPartition,
];

/** Those that a full measurement adds. */
export const longScenarios: readonly Scenario[] = [frozen(120)];
