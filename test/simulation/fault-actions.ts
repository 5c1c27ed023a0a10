/**
 * How each fault is done to the cluster, and how it ends. A fault that cannot happen now, because its victim is down
 * already or too few would be left, does not happen. To add one: name it in `fault-plan.ts`, do it here.
 */

import type { FaultRule } from '../../lab/api/faults/fault.ts';
import { ipOf } from '../../src/model/ip.ts';
import { Chance } from './chance.ts';
import type { FaultKind, PlannedFault } from './fault-plan.ts';
import type { SimulatedNode } from './simulated-node.ts';
import type { Simulation } from './simulation.ts';
import type { Weather } from './weather.ts';

export interface FaultWorld {
  readonly simulation: Simulation;
  readonly weather: Weather;
  readonly excluded: Set<SimulatedNode>;
  readonly unreadable: Set<SimulatedNode>;
  /** Whether enough others could serve if these could not. */
  readonly canSpare: (...nodes: readonly SimulatedNode[]) => boolean;
  /** Once; while the fault lasts, and after. */
  readonly after: (ms: number, callback: () => void) => void;
}

export interface Begun {
  /** Who or what it happens to, for people. */
  readonly what: string;
  readonly nodes: readonly SimulatedNode[];
  readonly end: () => void;
}

type Action = (world: FaultWorld, node: SimulatedNode, fault: PlannedFault) => Begun | undefined;

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
  if (weather.cut.has(node) || !canSpare(node)) return undefined;
  weather.cut.add(node);
  simulation.changes += 1;
  const end = () => {
    weather.cut.delete(node);
    simulation.changes += 1;
  };
  return { what: `${node.name}'s switch port goes dark`, nodes: [node], end };
};

const cablePulled: Action = (world, node, fault) => {
  const begun = node.isOn ? portCut(world, node, fault) : undefined;
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
  if (weather.far.size > 0 || !canSpare(...far)) return undefined;
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

const rollingRestart: Action = ({ simulation, after }) => {
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
  if (node.skewMs !== 0) return undefined;
  node.skewMs = [-30_000, 30_000, -7_000, 7_000, 3_600_000, -3_600_000][dice % 6] ?? 0;
  const end = () => {
    node.skewMs = 0;
  };
  return { what: `${node.name}'s clock is wrong by ${node.skewMs / 1000} s`, nodes: [], end };
};

/** Requests meet this fault; watches that are open are broken too, or stay. */
function apiFault(what: string, rule: FaultRule, breaks: boolean): Action {
  return ({ simulation }) => {
    const { faults } = simulation;
    const handle = faults.add(rule);
    if (breaks) faults.breakWatches({ how: 'reset' });
    return { what, nodes: [], end: () => handle.remove() };
  };
}

const watchesCut: Action = ({ simulation }, _node, { dice }) => {
  const ways = [
    { how: 'end' },
    { how: 'reset' },
    { how: 'half-line' },
    { how: 'error', code: 410 },
  ] as const;
  const way = ways[dice % ways.length] ?? ways[0];
  simulation.faults.breakWatches(way);
  return { what: `all watches break (${way.how})`, nodes: [], end: nothing };
};

const apiStale: Action = ({ simulation }) => {
  simulation.faults.holdWatches();
  const end = () => simulation.faults.releaseWatches();
  return { what: 'watches stay open and say nothing', nodes: [], end };
};

const leaseRefused: Action = ({ simulation }, node) => {
  const match = { resource: 'leases', verb: 'update', name: `purelb-node-${node.name}` };
  const handle = simulation.faults.add({ match, fault: { kind: 'status', code: 500 } });
  const what = `${node.name}'s Lease cannot be renewed`;
  return { what, nodes: [node], end: () => handle.remove() };
};

const excludeLabel = 'node.kubernetes.io/exclude-from-external-load-balancers';

const exclude: Action = ({ canSpare, excluded, simulation }, node) => {
  if (excluded.has(node) || !canSpare(node)) return undefined;
  const label = (value: string | null) =>
    simulation.send('PATCH', `/api/v1/nodes/${node.name}`, {
      metadata: { labels: { [excludeLabel]: value } },
    });
  label('');
  excluded.add(node);
  const end = () => {
    label(null);
    excluded.delete(node);
  };
  return { what: `${node.name} is labelled to take no part`, nodes: [node], end };
};

const serviceCreated: Action = ({ simulation }, _node, { dice }) => {
  const ip = ipOf(
    dice % 2 === 0 ? `192.0.2.${150 + (dice % 40)}` : `2001:db8:1::${200 + (dice % 90)}`,
  );
  if (simulation.ips.includes(ip)) return undefined;
  const name = `extra-${dice}`;
  simulation.serve(name, ip);
  const end = () => simulation.unserve(name, ip);
  return { what: `a Service with ${ip} comes, and goes again`, nodes: [], end };
};

function weatherFault(what: string, change: (weather: Weather, isOn: boolean) => void): Action {
  return ({ weather }) => {
    change(weather, true);
    return { what, nodes: [], end: () => change(weather, false) };
  };
}

const kernelUnreadable: Action = ({ canSpare, unreadable }, node) => {
  if (!node.isOn || unreadable.has(node) || !canSpare(node)) return undefined;
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
  'api-away': apiFault('the API server is away', { fault: { kind: 'reset' } }, true),
  'api-slow': apiFault(
    'the API server takes 5 s',
    { fault: { kind: 'latency', ms: 5_000 } },
    false,
  ),
  'api-500': apiFault(
    'the API server answers 500; watches stay open',
    { fault: { kind: 'status', code: 500 } },
    false,
  ),
  'watches-cut': watchesCut,
  'api-stale': apiStale,
  'lease-refused': leaseRefused,
  excluded: exclude,
  'service-created': serviceCreated,
  'frame-loss': weatherFault('frames are lost', (weather, isOn) => {
    weather.loss = isOn ? 10 : 0;
  }),
  'frame-copies': weatherFault('frames arrive twice', (weather, isOn) => {
    weather.copied = isOn ? 50 : 0;
  }),
  'frame-delay': weatherFault('frames are late', (weather, isOn) => {
    weather.delayMs = isOn ? 20 : 0;
  }),
  'arp-limit': weatherFault('switches drop ARP beyond 20 a second', (weather, isOn) => {
    weather.arpPerSecond = isOn ? 20 : Infinity;
  }),
  'kernel-unreadable': kernelUnreadable,
  'address-removed': addressRemoved,
};
