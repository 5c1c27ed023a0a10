/** What a watch has to say, as log lines: changes, not events. */

import type { ReflectorObservation } from '../kube/reflector-observation.ts';
import type { Log } from '../runtime/log.ts';

export function logWatch(log: Log, what: string, observation: ReflectorObservation): void {
  switch (observation.kind) {
    case 'synced': {
      const { objects, by } = observation;
      log.info('Read all objects', { what, objects, by, ms: Math.round(observation.tookMs) });
      return;
    }
    case 'failed': {
      const { error, retryInMs } = observation;
      log.warn('Watch failed', { what, error, retryInMs: Math.round(retryInMs) });
      return;
    }
    case 'expired':
      log.info('Watch expired, reading everything again', { what });
      return;
    case 'unsupported':
      log.info('Server cannot stream initial states, reading pages', { what });
      return;
    case 'received':
    case 'ended':
      return;
    default:
      observation satisfies never;
  }
}
