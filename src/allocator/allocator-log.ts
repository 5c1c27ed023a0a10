/** What the allocator's elections say, as log lines: changes, not runs. */

import type { ElectorObservation } from '../kube/elector.ts';
import type { Log } from '../runtime/log.ts';

export function logElection(log: Log, observation: ElectorObservation): void {
  switch (observation.kind) {
    case 'elected':
      log.info('Elected');
      return;
    case 'released':
      log.info('Released the Lease');
      return;
    case 'lost':
      log.warn('Lost the leadership', { reason: String(observation.reason) });
      return;
    case 'failed':
      log.warn('Lease could not be written', { error: observation.error });
      return;
    default:
      observation satisfies never;
  }
}
