/** The last act: addresses stay for a successor, unless PureLB itself is being removed. */

import {
  planShutdown,
  type ShutdownFacts,
  type ShutdownPlan,
} from '../decide/announcement/shutdown-policy.ts';
import { isNotFound } from '../kube/api-error.ts';
import type { Cluster } from '../kube/cluster.ts';
import { daemonSets } from '../kube/resources.ts';
import type { Guard } from '../linux/guard.ts';
import type { Kernel } from '../linux/kernel.ts';
import { noGuard } from '../model/guard.ts';
import type { Log } from '../runtime/log.ts';

export interface LeaveSetup {
  readonly cluster: Cluster;
  readonly kernel: Kernel;
  readonly guard: Guard;
  readonly log: Log;
  readonly namespace: string;
  /** Empty: not asked for. */
  readonly daemonSet: string;
  readonly dummyLink: string;
  readonly graceSeconds: number;
}

/** What was done: `remove` is for good. */
export async function leaveAddresses(setup: LeaveSetup): Promise<ShutdownPlan['policy']> {
  const { kernel, guard, log, graceSeconds, dummyLink } = setup;
  const held = await kernel.addresses();
  const daemonSet = await findDaemonSet(setup);
  const { policy, changes, removesVirtualLink } = planShutdown({ daemonSet, held, graceSeconds });
  const failures = await kernel.apply(changes.map(({ change }) => change));
  if (removesVirtualLink) {
    await kernel.removeVirtualLink(dummyLink);
    await guard.apply(noGuard);
  }
  const counts = { addresses: changes.length, failures: failures.length };
  log.info('Left addresses', { policy, daemonSet, ...counts });
  return policy;
}

const withinMs = 2_000;

async function findDaemonSet(setup: LeaveSetup): Promise<ShutdownFacts['daemonSet']> {
  const { cluster, namespace, daemonSet: name } = setup;
  if (name === '') return 'unknown';
  try {
    const { metadata } = await cluster.get(daemonSets, { namespace, name }, { withinMs });
    return metadata.deletionTimestamp === undefined ? 'present' : 'leaving';
  } catch (error) {
    return isNotFound(error) ? 'leaving' : 'unknown';
  }
}
