/** How an agent that ends leaves the daemon beside it, and with it our routes at the routers. */

import { bidFarewell, drainMs } from '../decide/advertisement/farewell.ts';
import { type Speaker, SpeakerError } from '../gobgp/speaker.ts';
import { type Clock, sleep } from '../runtime/clock.ts';
import type { Log } from '../runtime/log.ts';

/**
 * `stay`: the daemon goes on, and so do our routes.
 * `restart`: the daemon goes as well; sessions end in the way in which routers keep our routes for the next process.
 * `remove`: routers are asked to prefer others (RFC 8326), then routes are withdrawn; addresses may go after that.
 */
export type LeavePolicy = 'stay' | 'restart' | 'remove';

export interface LeaveDaemonSetup {
  readonly speaker: Pick<Speaker, 'read' | 'apply' | 'stopForRestart'>;
  readonly clock: Clock;
  readonly log: Log;
}

/** Whether a pass was made or not: what the daemon advertises stands in the daemon. */
export async function leaveDaemon(setup: LeaveDaemonSetup, how: LeavePolicy): Promise<void> {
  const { speaker, log } = setup;
  try {
    if (how === 'restart') await speaker.stopForRestart();
    if (how === 'remove') await withdrawAll(setup);
    log.info('Left BGP', { how });
  } catch (error) {
    if (!(error instanceof SpeakerError)) throw error;
    log.warn('Daemon could not be told that we leave', { how, error: error.message });
  }
}

async function withdrawAll({ speaker, clock }: LeaveDaemonSetup): Promise<void> {
  const { paths } = await speaker.read();
  if (paths.length === 0) return;
  const marked = bidFarewell(paths, 'marked');
  await speaker.apply([{ kind: 'set-paths', add: marked, withdraw: [] }]);
  await sleep(clock, drainMs);
  await speaker.apply([{ kind: 'set-paths', add: [], withdraw: paths }]);
}
