/** Everything that one agent decides by, at one moment. */

import type { HeldAddress } from '../../model/address.ts';
import type { LocalConfig } from '../../model/agent-config.ts';
import type { Conflict } from '../../model/conflict.ts';
import type { Ip } from '../../model/ip.ts';
import type { LoadBalancer } from '../../model/load-balancer.ts';
import type { Mac } from '../../model/mac.ts';
import type { Pool } from '../../model/pool.ts';
import type { GroupRecords } from '../../model/recorded-subnet.ts';
import type { Absence } from '../failover/absences.ts';
import type { Doubts } from '../failover/distrust-self.ts';
import type { LastWords } from '../failover/end-of-lifetime.ts';
import type { HandoverView } from '../failover/handover-view.ts';
import type { Sight } from '../failover/seen-addresses.ts';
import type { ForwardingView } from './await-forwarding.ts';
import type { MemberTimes } from './believe-claims.ts';
import type { Electorate } from './electorate.ts';
import type { Identities } from './identities.ts';
import type { LifetimePromise } from './lifetime-promise.ts';
import type { ProtectedPrefix } from './protected-prefixes.ts';
import type { SettledEndpoints } from './settle-endpoints.ts';
import type { LinkSurvey } from './survey-links.ts';
import type { CopyHolders, UnmarkedCopy } from './unmarked-copies.ts';
import type { Look } from './who-holds.ts';

export interface NodeSnapshot {
  readonly node: string;
  /** Undefined: the node is not configured, and known not to be. */
  readonly config: LocalConfig | undefined;
  readonly loadBalancers: readonly LoadBalancer[];
  readonly pools: readonly Pool[];
  /** What groups record of the networks that their addresses belong to. */
  readonly recorded: GroupRecords;
  readonly electorate: Electorate;
  readonly survey: LinkSurvey;
  /** Empty where they could not be read: then the survey is unknown too. */
  readonly held: readonly HeldAddress[];
  /** Undefined: not known (yet). Only looked at for Services that need it. */
  readonly endpoints: Pick<SettledEndpoints, 'current' | 'preferred' | 'required'> | undefined;
  readonly protectedPrefixes: readonly ProtectedPrefix[];
  readonly wire: WireView;
  /** Undefined: nobody looks whether kube-proxy forwards. */
  readonly forwarding: ForwardingView | undefined;
  readonly handovers: HandoverView;
  readonly copies: CopyHolders;
  /** Those on this node. */
  readonly unmarked: readonly UnmarkedCopy[];
  readonly self: SelfView;
  readonly lastWords: LastWords;
  /** Routers are being told to send nothing more: what they still send must find its address. */
  readonly areRoutesLeaving: boolean;
  /** Addresses that a member reports to be in use by a host outside the cluster, by its Lease. */
  readonly reports: ReadonlyMap<Ip, Conflict>;
  /** Addresses in quarantine with the epoch ms until which they are. */
  readonly quarantine: ReadonlyMap<Ip, number>;
  /** In ms on the monotonic clock. */
  readonly now: number;
  /** Epoch ms: only to be compared with what others wrote down. */
  readonly wallNow: number;
}

/** What this node knows of itself. Times are ms on the monotonic clock. */
export interface SelfView {
  /** What it may have missed. */
  readonly doubts: Doubts;
  /** When the wire was last asked for what it holds, and nobody else had it. */
  readonly verifiedAt: ReadonlyMap<Ip, number>;
  /** Since when it has told another member, which holds it too, that it does. */
  readonly contestedSince: ReadonlyMap<Ip, number>;
  /** What it gave up to another member. */
  readonly yieldedAt: ReadonlyMap<Ip, number>;
  /** What it knows of the cluster is not older than that. */
  readonly confirmedAt: number;
  /** Its Lease is not renewed: what it knows of the cluster may be old. */
  readonly isBlind: boolean;
  /** And it was told to last no longer than until now: others may have taken over. */
  readonly isLapsed: boolean;
  /** What the others can know of lifetimes in this kernel; undefined: nothing depends on it. */
  readonly promise: LifetimePromise | undefined;
  /** Its Lease is not renewed, or its watches are silent: what it knows of the cluster does not prove ownership. */
  readonly isStale: boolean;
}

/** What the network said. */
export interface WireView {
  readonly looks: ReadonlyMap<Ip, Look>;
  /** Members that announced an address on the wire. */
  readonly claims: ReadonlyMap<Ip, ReadonlySet<string>>;
  /** The last of them, and when that was. */
  readonly announced: ReadonlyMap<Ip, { readonly node: string; readonly at: number }>;
  /** Members that said, when asked by themselves, that they do not hold it, and when they were asked. */
  readonly denied: MemberTimes;
  /** Members that prove what they say: what frames say in their name is asked of them. */
  readonly signers: ReadonlySet<string>;
  /** Members that said, signed, that they hold it and are sure of it, and when they were asked. */
  readonly affirmed: MemberTimes;
  /** And those that said so with or without doubt. */
  readonly admitted: MemberTimes;
  /** Members that were asked by themselves and have said nothing, and since when. */
  readonly unanswered: MemberTimes;
  /** Members that asked everyone for an address, as one who is about to take it does, and when they last did. */
  readonly askedBy: MemberTimes;
  readonly identities: Identities;
  /** Members that do not answer, by the link that they share with this node. */
  readonly silent: ReadonlyMap<string, ReadonlySet<string>>;
  /** Members that did not answer for a while, and do again. */
  readonly absences: readonly Absence[];
  /** Members that live, but do not answer for the address. */
  readonly orphans: ReadonlyMap<Ip, ReadonlySet<string>>;
  /** By `placeOf`: addresses of other nodes of which this one is to say whether they answer. */
  readonly seen: ReadonlyMap<string, Sight>;
  /** Members that were to take the address, and did not. */
  readonly passedOver: ReadonlyMap<Ip, ReadonlySet<string>>;
  /** MACs that answer for everything. */
  readonly proxies: ReadonlySet<Mac>;
  /** Addresses that someone outside the cluster has, as this node saw it; by the kernel, no MAC is known. */
  readonly conflicts: ReadonlyMap<Ip, { readonly mac: Mac | undefined; readonly at: number }>;
}
