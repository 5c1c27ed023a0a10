/** The last act: addresses stay for a successor, go to other nodes first, or go with PureLB itself. */

import {
  chooseShutdown,
  planShutdown,
  type ShutdownChoice,
  type ShutdownFacts,
  type ShutdownGrace,
} from '../decide/announcement/shutdown-policy.ts';
import { isNotFound } from '../kube/api-error.ts';
import type { Cluster } from '../kube/cluster.ts';
import { daemonSets, nodes } from '../kube/resources.ts';
import type { Guard } from '../linux/guard.ts';
import type { Kernel } from '../linux/kernel.ts';
import type { ClusterNode } from '../model/cluster-node.ts';
import { noGuard } from '../model/guard.ts';
import { isProblem } from '../model/parsed.ts';
import { readNode } from '../model/read-node.ts';
import { readTolerations } from '../model/toleration.ts';
import type { Log } from '../runtime/log.ts';
import { type LeaveBgpSetup, leaveBgp } from './leave-bgp.ts';

export interface LeaveSetup extends LeaveBgpSetup {
  readonly cluster: Cluster;
  readonly kernel: Kernel;
  readonly guard: Guard;
  readonly log: Log;
  readonly node: string;
  readonly installNamespace: string;
  /** Empty: not asked for. */
  readonly daemonSet: string;
}

export async function chooseLeaving(
  setup: LeaveSetup,
  facts: Pick<ShutdownFacts, 'onShutdown' | 'node'>,
): Promise<ShutdownChoice> {
  const [daemonSet, node = facts.node] = await Promise.all([
    askForDaemonSet(setup),
    askForNode(setup),
  ]);
  const choice = chooseShutdown({ ...facts, ...daemonSet, node });
  setup.log.info('Leaving', { ...choice });
  return choice;
}

export async function leaveAddresses(
  setup: LeaveSetup,
  { policy }: ShutdownChoice,
  { dummyLink, ...grace }: ShutdownGrace & { readonly dummyLink: string },
): Promise<void> {
  const { kernel, guard, log } = setup;
  // Routers are told first: what they still send here finds its address until then.
  await leaveBgp(setup, policy);
  const held = await kernel.addresses();
  const { changes, removesVirtualLink } = planShutdown(policy, held, grace);
  const failures = await kernel.apply(changes.map(({ change }) => change));
  if (removesVirtualLink) {
    await kernel.removeVirtualLink(dummyLink);
    await guard.apply(noGuard);
  }
  const counts = { addresses: changes.length, failures: failures.length };
  log.info('Left addresses', { policy, ...counts });
}

const withinMs = 2_000;

/** Cordoned only just now, perhaps: what is watched may come later than the signal to stop. */
async function askForNode({ cluster, node: name }: LeaveSetup): Promise<ClusterNode | undefined> {
  const fieldSelector = `metadata.name=${name}`;
  try {
    // Agents may list Nodes, and get none by name.
    for await (const { items } of cluster.list(nodes, { fieldSelector, withinMs })) {
      const known = items.flatMap((item) => {
        const reading = readNode(item);
        return isProblem(reading) ? [] : [reading.value];
      });
      const found = known.find((node) => node.name === name);
      if (found !== undefined) return found;
    }
    return undefined;
  } catch {
    return undefined;
  }
}

async function askForDaemonSet(
  setup: LeaveSetup,
): Promise<Pick<ShutdownFacts, 'daemonSet' | 'tolerations'>> {
  const { cluster, installNamespace: namespace, daemonSet: name } = setup;
  if (name === '') return { daemonSet: 'unknown', tolerations: undefined };
  try {
    const found = await cluster.get(daemonSets, { namespace, name }, { withinMs });
    const isLeaving = found.metadata.deletionTimestamp !== undefined;
    return { daemonSet: isLeaving ? 'leaving' : 'present', tolerations: readTolerations(found) };
  } catch (error) {
    return { daemonSet: isNotFound(error) ? 'leaving' : 'unknown', tolerations: undefined };
  }
}
