/** The API server, and the Events that are sent to it; both end with the program. */

import type { Cluster } from '../kube/cluster.ts';
import { EventRecorder } from '../kube/event-recorder.ts';
import { HttpCluster } from '../kube/http-cluster.ts';
import { HttpsTransport } from '../kube/https-transport.ts';
import type { ProgramOptions, ProgramSetup } from './run-program.ts';

export interface Reporter {
  readonly userAgent: string;
  /** Names the program in its Events. */
  readonly controller: string;
  /** Tells one of its replicas from another. */
  readonly instance: string;
}

/** Longest wait for Events that are still to be sent when it ends. */
const lastEventsMs = 1_000;

export function openCluster(
  { apiServer, clock, random, log, lifecycle }: ProgramSetup<ProgramOptions>,
  { userAgent, controller, instance }: Reporter,
): { readonly cluster: Cluster; readonly events: EventRecorder } {
  const transport = new HttpsTransport(apiServer, clock);
  lifecycle.onStop('connections', () => transport.close());
  const cluster = new HttpCluster({ transport, clock, userAgent });
  const events = new EventRecorder({
    cluster,
    clock,
    random,
    controller,
    instance,
    onDropped: ({ reason, note }, why) => log.warn('Event dropped', { reason, note, why }),
  });
  lifecycle.onStop('events', () => events.stop(lastEventsMs));
  return { cluster, events };
}
