/** The writers of what an agent tells in objects: on Services, and on the LBNodeAgent that configures its node. */

import type { Cluster } from '../kube/cluster.ts';
import { mergePatch, strategicPatch } from '../kube/patch.ts';
import type { Resource } from '../kube/resource.ts';
import { lbNodeAgents, services } from '../kube/resources.ts';
import type { Clock } from '../runtime/clock.ts';
import type { Log, LogFields } from '../runtime/log.ts';
import type { AgentMetrics } from './agent-metrics.ts';
import { type ObjectPatch, SlotWriter, type SlotWriterSetup } from './slot-writer.ts';
import type { WatchedObjects } from './watched-objects.ts';

interface WriterSetup {
  readonly cluster: Cluster;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: AgentMetrics;
}

/** What one of them writes, and how its failures are told. */
interface Subject {
  readonly resource: Resource;
  readonly patchOf: SlotWriterSetup['patchOf'];
  readonly onWritten: SlotWriterSetup['onWritten'];
  readonly failure: string;
  readonly describe: (patch: ObjectPatch) => LogFields;
}

export function makeSlotWriters(setup: WriterSetup, objects: WatchedObjects, wake: () => void) {
  return {
    slots: makeWriter(setup, wake, {
      // Of the conditions only ours is named: those of others stay, whoever writes first.
      resource: services,
      patchOf: strategicPatch,
      onWritten: (answer) => objects.services.put(answer),
      failure: 'Service could not be annotated',
      describe: ({ namespace, name }) => ({ service: `${namespace}/${name}` }),
    }),
    statuses: makeWriter(setup, wake, {
      resource: lbNodeAgents,
      patchOf: mergePatch,
      onWritten: (answer) => objects.offers.put(answer),
      failure: 'Status could not be written',
      describe: ({ name }) => ({ configuration: name }),
    }),
  };
}

function makeWriter(
  { cluster, clock, log, metrics }: WriterSetup,
  onRetry: () => void,
  { failure, describe, ...subject }: Subject,
): SlotWriter {
  return new SlotWriter({
    ...subject,
    cluster,
    clock,
    onFailed: (patch, error, failures) => {
      metrics.failures.add();
      const fields = { ...describe(patch), error, failures };
      if (failures === 1) log.warn(failure, fields);
      else log.debug(failure, fields);
    },
    onRetry,
  });
}
