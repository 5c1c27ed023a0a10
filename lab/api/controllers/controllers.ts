/** What a controller manager and a scheduler do in a cluster, as far as a playground needs it. */

import type { Core } from '../rest/core.ts';
import { startController } from './controller.ts';
import { daemonSetController } from './daemon-sets.ts';
import { deploymentController } from './deployments.ts';
import { disruptionController } from './disruption-budgets.ts';
import { endpointSliceController } from './endpoint-slices.ts';
import { startGarbageCollector } from './garbage-collector.ts';
import { nodeController } from './nodes.ts';
import { replicaSetController } from './replica-sets.ts';
import { scheduler } from './scheduler.ts';
import { serviceAccountController } from './service-accounts.ts';

export interface ControllerSettings {
  /** How long a node's lease may be overdue before the node counts as lost. */
  readonly nodeGraceSeconds?: number;
}

/** Returns what stops them. */
export function startControllers(core: Core, settings: ControllerSettings): () => void {
  const { nodeGraceSeconds = 40 } = settings;
  const controllers = [
    serviceAccountController,
    deploymentController,
    replicaSetController,
    daemonSetController,
    nodeController(nodeGraceSeconds * 1000),
    scheduler,
    endpointSliceController,
    disruptionController,
  ];
  const stops = controllers.map((controller) => startController(core, controller));
  stops.push(startGarbageCollector(core));
  return () => {
    for (const stop of stops) stop();
  };
}
