/** Faults of the API server, and what people do to the cluster's objects. */

import type { FaultRule } from '../../lab/api/faults/fault.ts';
import { ipOf } from '../../src/model/ip.ts';
import { Chance } from './chance.ts';
import type { FaultKind } from './fault-kinds.ts';
import type { Action } from './fault-world.ts';
import type { SimulatedNode } from './simulated-node.ts';

/** Requests meet this fault; watches that are open are broken too, or stay. */
export function apiFault(
  kind: FaultKind,
  what: string,
  { rule, breaks }: { readonly rule: FaultRule; readonly breaks: boolean },
): Action {
  return ({ simulation, isActive }) => {
    if (isActive('api-away') || isActive(kind)) return undefined;
    const { faults } = simulation;
    const handle = faults.add(rule);
    if (breaks) faults.breakWatches({ how: 'reset' });
    return { what, nodes: [], end: () => handle.remove() };
  };
}

export const watchesCut: Action = ({ simulation }, _node, { dice }) => {
  const ways = [
    { how: 'end' },
    { how: 'reset' },
    { how: 'half-line' },
    { how: 'error', code: 410 },
  ] as const;
  const way = ways[dice % ways.length] ?? ways[0];
  if (simulation.faults.breakWatches(way) === 0) return undefined;
  return { what: `all watches break (${way.how})`, nodes: [], end: () => {} };
};

export const apiStale: Action = ({ simulation, isActive }) => {
  if (simulation.faults.openWatches === 0 || isActive('api-stale')) return undefined;
  simulation.faults.holdWatches();
  const end = () => simulation.faults.releaseWatches();
  return { what: 'watches stay open and say nothing', nodes: [], end };
};

export const leaseRefused: Action = ({ simulation, isActive }, node) => {
  const isRefused = isActive('api-away') || isActive('lease-refused', node);
  if (isRefused || !node.isAgentRunning) return undefined;
  const match = { resource: 'leases', verb: 'update', name: `purelb-node-${node.name}` };
  const handle = simulation.faults.add({ match, fault: { kind: 'status', code: 500 } });
  const what = `${node.name}'s Lease cannot be renewed`;
  return { what, nodes: [node], end: () => handle.remove() };
};

const excludeLabel = 'node.kubernetes.io/exclude-from-external-load-balancers';

export const exclude: Action = ({ canSpare, excluded, simulation }, node) => {
  if (!node.isOn || excluded.has(node) || !canSpare(node)) return undefined;
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

export const serviceCreated: Action = ({ simulation }, _node, { dice }) => {
  const ip = ipOf(
    dice % 2 === 0 ? `192.0.2.${150 + (dice % 40)}` : `2001:db8:1::${200 + (dice % 90)}`,
  );
  if (simulation.ips.includes(ip)) return undefined;
  const name = `extra-${dice}`;
  simulation.serve(name, ip);
  const end = () => simulation.unserve(name, ip);
  return { what: `a Service with ${ip} comes, and goes again`, nodes: [], end };
};

/** These nodes have no way to the API server; the others have. */
function loseApi(
  nodes: readonly SimulatedNode[],
  what: string,
  and: (node: SimulatedNode) => void,
) {
  for (const node of nodes) {
    node.cutFromApi();
    and(node);
  }
  const end = () => {
    for (const node of nodes) node.reconnectToApi();
  };
  const names = nodes.map(({ name }) => name).join(', ');
  return { what: `${names} cannot reach the API server${what}`, nodes, end };
}

export const apiLost: Action = ({ canSpare }, node) => {
  if (!node.isAgentRunning || node.isCutFromApi || !canSpare(node)) return undefined;
  return loseApi([node], '', () => {});
};

export const apiLostBySome: Action = ({ simulation, canSpare, after }, node, { dice }) => {
  const chance = new Chance(dice);
  const some = simulation.nodes.filter((one) => one === node || chance.isOneIn(2));
  if (some.some((one) => !one.isAgentRunning || one.isCutFromApi)) return undefined;
  if (some.length === simulation.nodes.length || !canSpare(...some)) return undefined;
  return loseApi(some, ', and some of their agents restart', (one) => {
    if (chance.isOneIn(2)) restart(one, after, chance.between(100, 5_000));
  });
};

export const apiLostRestart: Action = ({ canSpare, after }, node, { dice }) => {
  if (!node.isAgentRunning || node.isCutFromApi || !canSpare(node)) return undefined;
  const afterMs = 100 + (dice % 4_000);
  return loseApi([node], ', and its agent restarts', (one) => restart(one, after, afterMs));
};

export const apiLostReboot: Action = ({ canSpare, after }, node) => {
  if (!node.isAgentRunning || node.isCutFromApi || !canSpare(node)) return undefined;
  return loseApi([node], ', and it reboots', (one) => {
    one.powerOff();
    after(3_000, () => one.powerOn());
  });
};

function restart(
  node: SimulatedNode,
  after: (ms: number, callback: () => void) => void,
  afterMs: number,
): void {
  after(afterMs, () => node.killAgent());
  after(afterMs + 1_000, () => node.startAgent());
}
