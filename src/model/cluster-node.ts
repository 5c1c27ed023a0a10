/** A Kubernetes Node, as far as it decides who may hold addresses and what must not be cut off. */

import type { Labels } from './identity.ts';
import type { Ip } from './ip.ts';

export interface ClusterNode {
  readonly name: string;
  readonly uid: string;
  readonly labels: Labels;
  readonly annotations: Labels;
  readonly internalIps: readonly Ip[];
  readonly externalIps: readonly Ip[];
  /** Labelled to take no part in load balancing. */
  readonly isExcluded: boolean;
  readonly isCordoned: boolean;
  /** Deleted, or about to be by the autoscaler. */
  readonly isBeingRemoved: boolean;
  /** Its kubelet says that the machine goes down in good order. */
  readonly isShuttingDown: boolean;
  readonly taints: readonly Taint[];
  readonly zone: string | undefined;
}

export interface Taint {
  readonly key: string;
  readonly value: string;
  readonly effect: string;
}
