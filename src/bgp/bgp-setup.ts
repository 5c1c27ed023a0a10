/** What the BGP part of an agent stands on. */

import type { ProtectedPrefix } from '../decide/announcement/protected-prefixes.ts';
import type { Speaker } from '../gobgp/speaker.ts';
import type { Cluster } from '../kube/cluster.ts';
import type { EventRecorder } from '../kube/event-recorder.ts';
import type { ReflectorObservation } from '../kube/reflector-observation.ts';
import type { Kernel } from '../linux/kernel.ts';
import type { RouteTable } from '../linux/route-table.ts';
import type { ClusterNode } from '../model/cluster-node.ts';
import type { Ip } from '../model/ip.ts';
import type { LoadBalancer } from '../model/load-balancer.ts';
import type { Member } from '../model/member.ts';
import type { Clock } from '../runtime/clock.ts';
import type { Log } from '../runtime/log.ts';
import type { BgpMetrics } from './bgp-metrics.ts';

export interface BgpSetup {
  readonly cluster: Cluster;
  readonly kernel: Kernel;
  readonly routes: RouteTable;
  readonly speaker: Speaker;
  readonly events: EventRecorder;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Log;
  readonly metrics: BgpMetrics;
  readonly node: string;
  readonly installNamespace: string;
  /** Where the daemon is, for logs and metrics. */
  readonly endpoint: string;
  readonly observe: (what: string, observation: ReflectorObservation) => void;
}

/** What the agent knows of the cluster. */
export interface BgpSurroundings {
  readonly me: ClusterNode | undefined;
  readonly members: readonly Member[];
  /** What they ask for their routes counts, whether or not this node serves them. */
  readonly services: readonly LoadBalancer[];
  readonly protectedPrefixes: readonly ProtectedPrefix[];
  /** That remote addresses are on. */
  readonly virtualLink: string;
  /** Addresses of Services that are on it without PureLB's mark. */
  readonly unmarkedServed: readonly Ip[];
  /** Whether this node writes what is everybody's business. */
  readonly isSpokesman: boolean;
}
