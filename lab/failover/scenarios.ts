/** What can happen to a cluster, by name. */

import { agentKilled, crashLoop, frozen, restartAtOnce, rollingRestart } from './failing-agents.ts';
import {
  allReboot,
  cut,
  healedPartition,
  many,
  nodeReturns,
  powerCut,
  twoDie,
} from './failing-nodes.ts';
import { apiAway, deathInOutage, withApiFault } from './failing-servers.ts';
import { drained, excluded, moved } from './planned-moves.ts';
import { failover, type Scenario, unreachable } from './scenario.ts';

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
