/**
 * What an agent leaves behind when it is told to stop. Most stops are restarts and upgrades: the kernel serves on
 * without it, for as long as a successor may need to come up. Where none will come, the addresses go elsewhere first.
 */

import type { HeldAddress } from '../../model/address.ts';
import type { LocalConfig } from '../../model/agent-config.ts';
import type { ClusterNode } from '../../model/cluster-node.ts';
import { isTolerated, type Toleration } from '../../model/toleration.ts';
import type { PlannedChange } from './plan-addresses.ts';
import { armForRestart, findAging } from './restart-grace.ts';

export type ShutdownPolicy = 'keep' | 'handover' | 'remove';

export interface ShutdownFacts {
  /** `leaving`: gone, or being deleted; `unknown`: the API server could not be asked. */
  readonly daemonSet: 'present' | 'leaving' | 'unknown';
  /** Of the DaemonSet's pods; undefined: not known. */
  readonly tolerations: readonly Toleration[] | undefined;
  readonly onShutdown: LocalConfig['onShutdown'];
  /** Undefined: not known. */
  readonly node: Pick<ClusterNode, NodeSigns> | undefined;
}

type NodeSigns = 'isCordoned' | 'isShuttingDown' | 'isBeingRemoved' | 'taints';

export interface ShutdownChoice {
  readonly policy: ShutdownPolicy;
  /** For the log. */
  readonly because: string;
}

export function chooseShutdown({
  daemonSet,
  tolerations,
  onShutdown,
  node,
}: ShutdownFacts): ShutdownChoice {
  if (daemonSet === 'leaving') return { policy: 'remove', because: 'uninstalled' };
  if (onShutdown === 'Keep') return { policy: 'keep', because: 'configured' };
  if (onShutdown === 'Handover') return { policy: 'handover', because: 'configured' };
  if (node === undefined) return { policy: 'keep', because: 'restart' };
  const signs = {
    nodeRemoved: node.isBeingRemoved,
    nodeShutsDown: node.isShuttingDown,
    nodeCordoned: node.isCordoned,
    nodeTainted: tolerations !== undefined && hasBarringTaint(node, tolerations),
  };
  const [because] = Object.entries(signs).find(([, isSo]) => isSo) ?? [];
  return because === undefined
    ? { policy: 'keep', because: 'restart' }
    : { policy: 'handover', because };
}

/** A pod of ours would not come back to the node. */
function hasBarringTaint(
  { taints }: Pick<ClusterNode, 'taints'>,
  tolerations: readonly Toleration[],
): boolean {
  return taints.some((taint) => !isTolerated(taint, tolerations));
}

export interface ShutdownPlan {
  readonly changes: readonly PlannedChange[];
  /** The virtual link goes with PureLB; across restarts it stays, or every remote address of the node would flap. */
  readonly removesVirtualLink: boolean;
}

export interface ShutdownGrace {
  readonly graceSeconds: number;
  /** The others will read in the Lease how long the addresses last; otherwise lifetimes are only cut. */
  readonly mayExtend: boolean;
}

/** What is still here after a handover has found no taker: it stays like what is kept. */
export function planShutdown(
  policy: ShutdownPolicy,
  held: readonly HeldAddress[],
  { graceSeconds, mayExtend }: ShutdownGrace,
): ShutdownPlan {
  if (policy === 'remove') {
    const changes = held.filter(({ isOurs }) => isOurs).map(removeUninstalled);
    return { changes, removesVirtualLink: true };
  }
  const changes = findAging(held)
    .filter(({ validSeconds }) => mayExtend || validSeconds > graceSeconds)
    .map((address) => armForRestart(address, graceSeconds));
  return { changes, removesVirtualLink: false };
}

function removeUninstalled({ link, ip, prefixLength }: HeldAddress): PlannedChange {
  return { change: { kind: 'remove', address: { link, ip, prefixLength } }, reason: 'uninstalled' };
}
