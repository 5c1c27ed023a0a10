/** What can happen to a cluster, by name. */

import {
  clocksApart,
  deathInUpgrade,
  deathWithClocksApart,
  rollingUpgrade,
} from './differing-agents.ts';
import { agentKilled, crashLoop, frozen, restartAtOnce, rollingRestart } from './failing-agents.ts';
import {
  allReboot,
  crowdedDeath,
  cut,
  healedPartition,
  nodeReturns,
  powerCut,
  tunedPowerCut,
  twoDie,
} from './failing-nodes.ts';
import { apiAway, deathInOutage, withApiFault } from './failing-servers.ts';
import { dhcpRenewal, foreignAfter, foreignBefore } from './foreign-hosts.ts';
import { frozenBeyondMinute, frozenBeyondShort } from './long-freezes.ts';
import {
  answeredForDead,
  ipvs,
  proxyArp,
  suppressedDeath,
  suppressedRestart,
} from './misleading-networks.ts';
import { drained, excluded, moved, rebalance } from './planned-moves.ts';
import { failover, type Scale, type Scenario, unreachable } from './scenario.ts';

/** Once each, whether it works. */
export const tested: Scale = {
  services: 10,
  rebalanced: 10,
  frozenS: 4,
  apiAwayS: 5,
  apiFaultS: 6,
  skewedS: 6,
};

export const measured: Scale = {
  services: 100,
  rebalanced: 50,
  frozenS: 15,
  apiAwayS: 60,
  apiFaultS: 15,
  skewedS: 15,
};

export function scenariosOfNodes(scale: Scale): readonly Scenario[] {
  return [
    powerCut,
    tunedPowerCut,
    cut('NIC cut', 'unplugged', { ...failover, ...unreachable }),
    cut('switch-port cut, carrier stays', 'cut', { ...failover, ...unreachable }),
    twoDie,
    crowdedDeath(scale),
    allReboot,
    nodeReturns,
    healedPartition,
  ];
}

/** What people do to a cluster, and what becomes of it when its API server fails. */
export function scenariosOfClusters(scale: Scale): readonly Scenario[] {
  return [
    drained,
    excluded,
    moved,
    rebalance(scale),
    apiAway(scale),
    deathInOutage(scale),
    withApiFault('API latency 5 s', { kind: 'latency', ms: 5000 }, scale),
    withApiFault('API answers 500, watches stay open', { kind: 'status', code: 500 }, scale),
  ];
}

export function scenariosOfAgents(scale: Scale): readonly Scenario[] {
  return [
    agentKilled,
    crashLoop,
    frozen(scale.frozenS),
    frozenBeyondShort,
    rollingRestart,
    restartAtOnce,
    rollingUpgrade,
    deathInUpgrade,
    clocksApart(scale),
    deathWithClocksApart,
  ];
}

export function scenariosOfNetworks(): readonly Scenario[] {
  return [
    suppressedDeath,
    suppressedRestart,
    answeredForDead,
    proxyArp,
    ipvs,
    foreignBefore,
    foreignAfter,
    dhcpRenewal,
  ];
}

/** Those that a full measurement adds. */
export const longScenarios: readonly Scenario[] = [
  frozen(120),
  frozenBeyondMinute,
  apiAway({ ...measured, apiAwayS: 600 }),
  deathInOutage({ ...measured, apiAwayS: 600 }),
];
