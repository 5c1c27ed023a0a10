/** The writers of what an agent tells in objects: on Services, and on the LBNodeAgent that configures its node. */

import type { Cluster } from '../kube/cluster.ts';
import { mergePatch, strategicPatch } from '../kube/patch.ts';
import { lbNodeAgents, services } from '../kube/resources.ts';
import type { Clock } from '../runtime/clock.ts';
import type { Log } from '../runtime/log.ts';
import type { AgentMetrics } from './agent-metrics.ts';
import { SlotWriter } from './slot-writer.ts';
import type { WatchedObjects } from './watched-objects.ts';

interface WriterSetup {
  readonly cluster: Cluster;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: AgentMetrics;
}

export function makeSlotWriters(setup: WriterSetup, objects: WatchedObjects, wake: () => void) {
  return {
    slots: makeServiceWriter(setup, objects, wake),
    statuses: makeStatusWriter(setup, objects, wake),
  };
}

function makeServiceWriter(
  { cluster, clock, log, metrics }: WriterSetup,
  objects: WatchedObjects,
  wake: () => void,
): SlotWriter {
  return new SlotWriter({
    cluster,
    // Of the conditions only ours is named: those of others stay, whoever writes first.
    resource: services,
    patchOf: strategicPatch,
    clock,
    onWritten: (answer) => objects.services.put(answer),
    onFailed: ({ namespace, name }, error, failures) => {
      metrics.failures.add();
      const fields = { service: `${namespace}/${name}`, error, failures };
      if (failures === 1) log.warn('Service could not be annotated', fields);
      else log.debug('Service could not be annotated', fields);
    },
    onRetry: wake,
  });
}

function makeStatusWriter(
  { cluster, clock, log, metrics }: WriterSetup,
  objects: WatchedObjects,
  wake: () => void,
): SlotWriter {
  return new SlotWriter({
    cluster,
    resource: lbNodeAgents,
    patchOf: mergePatch,
    clock,
    onWritten: (answer) => objects.offers.put(answer),
    onFailed: ({ name }, error, failures) => {
      metrics.failures.add();
      const fields = { configuration: name, error, failures };
      if (failures === 1) log.warn('Status could not be written', fields);
      else log.debug('Status could not be written', fields);
    },
    onRetry: wake,
  });
}
