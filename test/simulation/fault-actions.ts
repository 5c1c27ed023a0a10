/**
 * How each fault is done to the cluster, and how it ends. A fault that cannot happen now, because its victim is down
 * already or too few would be left, does not happen. To add one: name it in `fault-kinds.ts`, do it here.
 */

import { repliesToAll, spoofedFrames, tenantForges } from './attack-actions.ts';
import { Chance } from './chance.ts';
import {
  apiFault,
  apiLost,
  apiLostBySome,
  apiLostReboot,
  apiLostRestart,
  apiStale,
  exclude,
  leaseRefused,
  serviceCreated,
  watchesCut,
} from './cluster-actions.ts';
import type { FaultKind } from './fault-kinds.ts';
import type { PlannedFault } from './fault-plan.ts';
import type { Action, Begun, FaultWorld } from './fault-world.ts';
import { forge } from './forger.ts';
import { hintsForged, hintsReplayed, keyMissing, keyRotated } from './peer-actions.ts';
import type { Weather } from './weather.ts';

const nothing = () => {};

/** Undefined: it cannot happen now. */
export function beginFault(world: FaultWorld, fault: PlannedFault): Begun | undefined {
  const { nodes } = world.simulation;
  const node = nodes[(fault.node - 1) % nodes.length];
  return node && actions[fault.kind](world, node, fault);
}

const powerLoss: Action = ({ canSpare }, node) => {
  if (!node.isOn || !canSpare(node)) return undefined;
  node.powerOff();
  return { what: `${node.name} loses power`, nodes: [node], end: () => node.powerOn() };
};

const portCut: Action = ({ canSpare, weather, simulation }, node) => {
  if (!node.isAwake || weather.cut.has(node) || !canSpare(node)) return undefined;
  weather.cut.add(node);
  simulation.changes += 1;
  const end = () => {
    weather.cut.delete(node);
    simulation.changes += 1;
  };
  return { what: `${node.name}'s switch port goes dark`, nodes: [node], end };
};

const cablePulled: Action = (world, node, fault) => {
  const begun = portCut(world, node, fault);
  if (begun === undefined) return undefined;
  node.setCarrier(false);
  const end = () => {
    begun.end();
    node.setCarrier(true);
  };
  return { ...begun, what: `${node.name}'s cable is pulled`, end };
};

const partition: Action = ({ canSpare, weather, simulation }, node, { dice }) => {
  const chance = new Chance(dice);
  const far = simulation.nodes.filter((one) => one === node || chance.isOneIn(3));
  if (!node.isAwake || weather.far.size > 0 || !canSpare(...far)) return undefined;
  for (const one of far) weather.far.add(one);
  simulation.changes += 1;
  const end = () => {
    weather.far.clear();
    simulation.changes += 1;
  };
  const names = far.map(({ name }) => name).join(', ');
  return { what: `the network is parted, with ${names} on the far side`, nodes: far, end };
};

const agentKilled: Action = ({ canSpare }, node) => {
  if (node.agent === undefined || !canSpare(node)) return undefined;
  node.killAgent();
  return {
    what: `${node.name}'s agent is killed`,
    nodes: [node],
    end: () => node.startAgent(),
  };
};

const agentStopped: Action = ({ canSpare }, node) => {
  if (!node.isAgentRunning || !canSpare(node)) return undefined;
  void node.stopAgent();
  return {
    what: `${node.name}'s agent is told to stop`,
    nodes: [node],
    end: () => node.startAgent(),
  };
};

const crashLoop: Action = (world, node, fault) => {
  const begun = agentKilled(world, node, fault);
  if (begun === undefined) return undefined;
  let isOver = false;
  const turn = () => {
    if (isOver) return;
    if (node.agent === undefined) node.startAgent();
    else node.killAgent();
    world.after(1_500, turn);
  };
  world.after(1_500, turn);
  const end = () => {
    isOver = true;
    node.startAgent();
  };
  return { ...begun, what: `${node.name}'s agent crashes again and again`, end };
};

const agentFrozen: Action = ({ canSpare }, node) => {
  if (!node.isAgentRunning || !canSpare(node)) return undefined;
  node.stall();
  return { what: `${node.name}'s agent stands still`, nodes: [node], end: () => node.resume() };
};

const rollingRestart: Action = ({ simulation, after, isActive }) => {
  if (isActive('rolling-restart')) return undefined;
  for (const [index, node] of simulation.nodes.entries()) {
    after(index * 4_000, () => {
      if (!node.isAgentRunning) return;
      void node.stopAgent();
      after(3_000, () => node.startAgent());
    });
  }
  const { nodes } = simulation;
  return { what: 'all agents are restarted in turn', nodes, end: nothing };
};

const vmStun: Action = ({ canSpare }, node) => {
  if (!node.isAwake || !canSpare(node)) return undefined;
  node.stun();
  return { what: `${node.name} is paused as a whole`, nodes: [node], end: () => node.endStun() };
};

const clockSkew: Action = (_world, node, { dice }) => {
  if (!node.isAgentRunning || node.skewMs !== 0) return undefined;
  node.skewMs = [-30_000, 30_000, -7_000, 7_000, 3_600_000, -3_600_000][dice % 6] ?? 0;
  const end = () => {
    node.skewMs = 0;
  };
  return { what: `${node.name}'s clock is wrong by ${node.skewMs / 1000} s`, nodes: [], end };
};

function weatherFault(
  kind: FaultKind,
  what: string,
  change: (weather: Weather, isOn: boolean) => void,
): Action {
  return ({ weather, isActive }) => {
    if (isActive(kind)) return undefined;
    change(weather, true);
    return { what, nodes: [], end: () => change(weather, false) };
  };
}

/** In the name of a member, with the forger's own MAC as the sender: that is to change nothing at all. */
const forgedFrames: Action = ({ simulation, isActive }, node, { dice }) => {
  if (isActive('forged-frames')) return undefined;
  const { ips } = simulation;
  const chance = new Chance(dice);
  // Of all addresses each time: up to 200 announcements a second.
  const everyMs = chance.pick([20, 50, 100]);
  const what = chance.pick(['announcements', 'probes'] as const);
  const end = forge(simulation, { how: 'mismatched', what, ips, everyMs, victims: () => [node] });
  const told = `a host forges ${what} in the name of ${node.name} every ${everyMs} ms`;
  return { what: told, nodes: [], end };
};

const kernelUnreadable: Action = ({ canSpare, unreadable }, node) => {
  if (!node.isAgentRunning || unreadable.has(node) || !canSpare(node)) return undefined;
  const { kernel } = node;
  kernel.interruptReads(Infinity);
  unreadable.add(node);
  const end = () => {
    kernel.interruptReads(0);
    unreadable.delete(node);
  };
  return { what: `${node.name}'s kernel cannot be read`, nodes: [node], end };
};

const addressRemoved: Action = ({ simulation }, node) => {
  const { machine } = node.kernel;
  const ours = machine.addresses().find(({ isOurs, link }) => isOurs && link === 'eth0');
  if (ours === undefined || !node.isOn) return undefined;
  machine.removeAddress('eth0', `${ours.ip}/${ours.prefixLength}`);
  simulation.changes += 1;
  return { what: `someone removes ${ours.ip} from ${node.name}`, nodes: [node], end: nothing };
};

/** As former software, a static configuration or an operator leaves it. */
const unmarkedCopy: Action = ({ simulation, isActive }, node, { dice }) => {
  const { ips } = simulation;
  const ip = ips[dice % ips.length];
  if (ip === undefined || !node.isOn || node.holds(ip) || isActive('unmarked-copy'))
    return undefined;
  const prefix = `${ip}/${ip.includes(':') ? 64 : 24}`;
  const { machine } = node.kernel;
  machine.addForeign('eth0', prefix);
  simulation.changes += 1;
  const end = () => {
    const isThere = machine
      .addresses()
      .some((each) => each.ip === ip && each.link === 'eth0' && !each.isOurs);
    if (isThere) machine.removeAddress('eth0', prefix);
    simulation.changes += 1;
  };
  return { what: `somebody puts ${ip} on ${node.name}`, nodes: [node], end };
};

const actions: Readonly<Record<FaultKind, Action>> = {
  'power-loss': powerLoss,
  reboot: powerLoss,
  'port-cut': portCut,
  'cable-pulled': cablePulled,
  partition,
  'agent-killed': agentKilled,
  'agent-restarted': agentKilled,
  'agent-stopped': agentStopped,
  'agent-crash-loop': crashLoop,
  'agent-frozen': agentFrozen,
  'rolling-restart': rollingRestart,
  'vm-stun': vmStun,
  'clock-skew': clockSkew,
  'api-away': apiFault('api-away', 'the API server is away', {
    rule: { fault: { kind: 'reset' } },
    breaks: true,
  }),
  'api-slow': apiFault('api-slow', 'the API server takes 5 s', {
    rule: { fault: { kind: 'latency', ms: 5_000 } },
    breaks: false,
  }),
  'api-500': apiFault('api-500', 'the API server answers 500; watches stay open', {
    rule: { fault: { kind: 'status', code: 500 } },
    breaks: false,
  }),
  'watches-cut': watchesCut,
  'api-stale': apiStale,
  'lease-refused': leaseRefused,
  excluded: exclude,
  'service-created': serviceCreated,
  'frame-loss': weatherFault('frame-loss', 'frames are lost', (weather, isOn) => {
    weather.loss = isOn ? 10 : 0;
  }),
  'frame-copies': weatherFault('frame-copies', 'frames arrive twice', (weather, isOn) => {
    weather.copied = isOn ? 50 : 0;
  }),
  'frame-delay': weatherFault('frame-delay', 'frames are late', (weather, isOn) => {
    weather.delayMs = isOn ? 20 : 0;
  }),
  'arp-limit': weatherFault(
    'arp-limit',
    'switches drop ARP beyond 20 a second',
    (weather, isOn) => {
      weather.arpPerSecond = isOn ? 20 : Infinity;
    },
  ),
  'forged-frames': forgedFrames,
  'kernel-unreadable': kernelUnreadable,
  'address-removed': addressRemoved,
  'api-lost': apiLost,
  'api-lost-restart': apiLostRestart,
  'api-lost-by-some': apiLostBySome,
  'api-lost-reboot': apiLostReboot,
  'unmarked-copy': unmarkedCopy,
  'hints-forged': hintsForged,
  'hints-replayed': hintsReplayed,
  'key-rotated': keyRotated,
  'key-missing': keyMissing,
  'spoofed-frames': spoofedFrames,
  'replies-to-all': repliesToAll,
  'tenant-forges': tenantForges,
};
