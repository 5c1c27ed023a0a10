/** Everything the allocator knows at one moment: what `allocate` decides from. */

import type { Conflict } from '../../model/conflict.ts';
import type { Labels } from '../../model/identity.ts';
import type { Family, Ip } from '../../model/ip.ts';
import type { LoadBalancer } from '../../model/load-balancer.ts';
import type { Pool, QuarantinedAddress } from '../../model/pool.ts';
import type { Prefix } from '../../model/prefix.ts';
import type { SourceFailureReason } from '../../model/reasons.ts';
import type { AcceptedPools } from './accept-pools.ts';

export interface AllocationState {
  /** All Services of type LoadBalancer, whoever's they are, and all that carry our marks. */
  readonly services: readonly LoadBalancer[];
  readonly pools: AcceptedPools;
  /** Labels of every namespace that is known. */
  readonly namespaces: ReadonlyMap<string, Labels>;
  /** Undefined while the nodes' Leases are not known. */
  readonly subnets: readonly SubnetSighting[] | undefined;
  /** Nodes whose agent is gone, with the time until which their kernel may go on answering (epoch ms). */
  readonly lostHolders: ReadonlyMap<string, number>;
  /** Addresses that agents report to be in use by a host outside the cluster, by their Leases. */
  readonly conflicts: ReadonlyMap<Ip, Conflict>;
  /** What other address sources said, by the Service's key. */
  readonly answers: ReadonlyMap<string, SourceAnswer>;
  /** What went back to its source, each as `returnKey` says; absent is nothing. */
  readonly returned?: ReadonlySet<string>;
  /** Groups that are not in force, and whose source still takes addresses back; absent is none. */
  readonly retired?: ReadonlyMap<string, Pool>;
  /** How other address sources do, by the pool's name; absent where nobody asks them. */
  readonly sources?: ReadonlyMap<string, SourceReport>;
  /** What became of rewriting externalTrafficPolicy, by the Service's key. */
  readonly policyRewrites: ReadonlyMap<string, PolicyRewrite>;
  readonly settings: AllocationSettings;
  /** Epoch ms. */
  readonly now: number;
}

export interface AllocationSettings {
  /** Values of `loadBalancerClass` that are ours. */
  readonly classes: readonly string[];
  /** Services without a class are ours too. */
  readonly isDefaultAnnouncer: boolean;
  /** Bring Services to what they ask for at once, instead of when `purelb.io/re-evaluate` asks for it. */
  readonly convergesUnasked: boolean;
}

export interface PolicyRewrite {
  /** How often within the last minute someone set it back, or the change failed. */
  readonly setbacks: number;
  /** Why the change failed, if that came last. */
  readonly refusal: string | undefined;
  /** It was rewritten, and the Service's condition does not say so yet. */
  readonly isUntold: boolean;
}

export interface SubnetSighting {
  readonly prefix: Prefix;
  /** Whether a node is on it now; otherwise one was lately, and may be again. */
  readonly isLive: boolean;
}

/** What is asked of a pool's source other than ranges of our own. */
export interface SourceRequest {
  readonly pool: string;
  /** Families without an address. */
  readonly families: readonly Family[];
  /** Asked for by name; empty is any. */
  readonly addresses: readonly Ip[];
  readonly sharingKey: string | undefined;
}

/** All that a source said to one request. */
export interface SourceAnswer {
  readonly pool: string;
  readonly addresses: readonly Prefix[];
  /** Of families that nothing came of. */
  readonly failures: readonly SourceFailing[];
}

export interface SourceFailing {
  readonly family: Family;
  readonly reason: SourceFailureReason;
  readonly message: string;
}

/** Whether a source does what it is asked, as last seen. */
export interface SourceReport {
  readonly isReady: boolean;
  readonly reason: 'Answering' | 'Unavailable' | 'Denied' | 'Misconfigured';
  /** The same for as long as nothing changes. */
  readonly message: string;
  /** What the owner of the group should know though it works. */
  readonly warnings: readonly string[];
  readonly stats: SourceCounts | undefined;
  /** Of a group that is being deleted and that no Service uses, once the source was searched. */
  readonly remaining?: RemainingRecords | undefined;
}

/** What a source still has on record for a group that is being deleted. */
export interface RemainingRecords {
  readonly records: number;
  /** They may be another cluster's: none is removed. */
  readonly isSuspicious: boolean;
  /** No request that would make another record can still be under way. */
  readonly isSettled: boolean;
}

export interface SourceCounts {
  readonly available: Readonly<Record<Family, bigint>> | undefined;
  /** What people call its addresses by. */
  readonly addresses: readonly string[];
}

/** Addresses of each pool that are not given out for the time being. */
export type Quarantine = ReadonlyMap<string, readonly QuarantinedAddress[]>;
