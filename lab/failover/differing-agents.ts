/** Agents that differ from each other: in what time it is, and in their version. */

import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AgentVariant } from '../cluster/node-programs.ts';
import type { FailoverWorld } from './failover-world.ts';
import { failover, nothing, type Scale, type Scenario } from './scenario.ts';

type Variants = Readonly<Record<string, AgentVariant>>;

/** From the next start of each on; those that are not named are like they usually are. */
function dress({ cluster: { programs } }: FailoverWorld, variants: Variants): void {
  const { variants: known } = programs;
  if (known === undefined) throw new Error('agents cannot differ in this cluster');
  known.clear();
  for (const [node, variant] of Object.entries(variants)) known.set(node, variant);
}

async function restartAll(world: FailoverWorld, variants: Variants): Promise<void> {
  dress(world, variants);
  await world.cluster.machines.restartAllAgents();
  await world.settled();
}

/** libfaketime; stamps of frames, which the kernel makes, stay as they are. */
function skewed(seconds: number): AgentVariant {
  const sign = seconds < 0 ? '' : '+';
  const library = '/usr/$LIB/faketime/libfaketimeMT.so.1';
  const env = {
    LD_PRELOAD: library,
    FAKETIME: `${sign}${seconds}s`,
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
    DONT_FAKE_MONOTONIC: '1',
  };
  return { env };
}

/** The holder's clock is ahead, the next node's behind. */
function skewAround(world: FailoverWorld, holder: string): Variants {
  const other = world.candidates.find((node) => node !== holder) ?? '';
  return { [holder]: skewed(30), [other]: skewed(-30) };
}

export function clocksApart({ skewedS }: Scale): Scenario {
  return {
    name: 'clocks ±30 s apart',
    stage: async ({ world, ip }) => {
      await restartAll(world, skewAround(world, world.holder(ip)));
      return { act: () => sleep(skewedS * 1000), heal: () => restartAll(world, {}) };
    },
    settlesMs: 500,
    limits: nothing,
    needs: 'faketime',
    isSlow: true,
    seconds: skewedS + 8,
  };
}

async function backAsUsual(world: FailoverWorld, node: string): Promise<void> {
  dress(world, {});
  await world.cluster.machines.powerOn(node);
  await restartAll(world, {});
}

export const deathWithClocksApart: Scenario = {
  name: 'clocks ±30 s apart, node power-cut',
  stage: async ({ world, ip }) => {
    const { machines } = world.cluster;
    await restartAll(world, skewAround(world, world.holder(ip)));
    const node = world.holder(ip);
    return {
      act: () => machines.powerOff(node),
      heal: () => backAsUsual(world, node),
    };
  },
  settlesMs: 4000,
  limits: failover,
  needs: 'faketime',
  isSlow: true,
  seconds: 15,
};

/** Says of itself what an agent of the version before says, and follows only such. */
const earlier: AgentVariant = {
  nodeArguments: ['--import', join(import.meta.dirname, 'earlier-version.ts')],
};

const allEarlier = ({ cluster: { nodes } }: FailoverWorld): Variants =>
  Object.fromEntries(nodes.map(({ name }) => [name, earlier]));

export const rollingUpgrade: Scenario = {
  name: 'rolling upgrade N-1 → N',
  stage: async ({ world }) => {
    await restartAll(world, allEarlier(world));
    return {
      act: async () => {
        dress(world, {});
        const { nodes, machines } = world.cluster;
        for (const { name } of nodes) await machines.restartAgent(name);
      },
    };
  },
  settlesMs: 2000,
  limits: nothing,
  isSlow: true,
  seconds: 16,
};

/** The holder has been upgraded, those that watch it have not. */
export const deathInUpgrade: Scenario = {
  name: 'node power-cut half-way through an upgrade',
  stage: async ({ world, ip }) => {
    const { machines } = world.cluster;
    const node = world.holder(ip);
    const { [node]: _, ...others } = allEarlier(world);
    await restartAll(world, others);
    return {
      act: () => machines.powerOff(world.holder(ip)),
      heal: () => backAsUsual(world, node),
    };
  },
  settlesMs: 4000,
  limits: failover,
  isSlow: true,
  seconds: 13,
};
