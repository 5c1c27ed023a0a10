/** A ServiceGroup in our words: where Services get addresses from, who may have them, how they are announced. */

import type { Identity } from './identity.ts';
import type { Family, Ip } from './ip.ts';
import type { LabelSelector } from './label-selector.ts';
import type { Mac } from './mac.ts';
import type { Prefix } from './prefix.ts';
import type { Range } from './range.ts';
import type { QuarantineReason } from './reasons.ts';

export interface Pool {
  readonly identity: Identity;
  /** What Services call it: the flat form may give another name than the object's. */
  readonly name: string;
  readonly announce: AnnounceMode;
  readonly source: PoolSource;
  readonly scope: PoolScope;
  readonly sharingScope: SharingScope;
  /** Withdraw the addresses of a Service while none of its endpoints is ready. */
  readonly withdrawsWithoutEndpoints: boolean;
  /** Services keep `externalTrafficPolicy: Local` on local addresses, which are then only on nodes with endpoints. */
  readonly keepsLocalPolicy: boolean;
  readonly placement: Placement;
  /** Neither a look at the wire nor the kernel's duplicate address detection before an IPv6 address is used. */
  readonly skipsDad: boolean;
  readonly conflictCheck: ConflictCheck;
}

/** `auto`: on a link whose subnet contains the address, or else on the dummy interface of every node. */
export type AnnounceMode = 'auto' | 'local' | 'remote';

/** `Sticky`: an eligible holder keeps its address; `Hash`: the hash decides anew whenever nodes come and go. */
export type Placement = 'Sticky' | 'Hash';

/** Among which Services the same sharing key means the same address. */
export type SharingScope = 'Cluster' | 'Namespace';

export interface ConflictCheck {
  readonly mode: 'Quick' | 'Full' | 'Off';
  /** How long `Quick` waits for an answer before first use. */
  readonly waitMs: number;
  /** Let the kernel detect duplicates of IPv6 addresses as well. */
  readonly keepsKernelDad: boolean;
  readonly quarantineMs: number;
}

/** Who may have addresses of the pool. */
export interface PoolScope {
  /** As written; empty is every namespace. */
  readonly namespaces: readonly string[];
  readonly isEnforced: boolean;
  readonly isNamespaceDefault: boolean;
  readonly serviceSelector: LabelSelector | undefined;
  readonly namespaceSelector: LabelSelector | undefined;
  /** Higher goes first. */
  readonly priority: number;
  /** Services get addresses without naming the pool. */
  readonly autoAssigns: boolean;
}

export type PoolSource = ClusterSource | NetboxSource | ExternalSource;

/** Ranges that we manage ourselves. */
export interface ClusterSource {
  readonly kind: 'cluster';
  /** In the order in which they are used within a family: IPv4 first, lists before single ones. */
  readonly ranges: readonly PoolRange[];
  readonly usesMultiPool: boolean;
  readonly balancesPools: boolean;
  readonly avoidsEdges: boolean;
  readonly releaseCooldownMs: number;
  readonly reserveMs: number;
}

export interface PoolRange {
  readonly family: Family;
  readonly range: Range;
  /** The network that the range lies in, without bits behind its prefix. */
  readonly subnet: Prefix;
  /** On the dummy interface, hence of the advertised route. */
  readonly prefixLength: number;
  readonly exclusions: readonly Range[];
  /** The range as the user wrote it, for people to recognise. */
  readonly text: string;
}

export interface NetboxSource {
  readonly kind: 'netbox';
  /** Without `/api` and without a slash at the end. */
  readonly url: string;
  readonly tenant: string | undefined;
  readonly prefixes: readonly Prefix[];
  readonly ranges: readonly Range[];
  readonly vrf: string | undefined;
  readonly tags: readonly string[];
  readonly clusterId: string | undefined;
  readonly tokenSecret: { readonly name: string; readonly key: string } | undefined;
  readonly caBundle: string | undefined;
  /** On the dummy interface; undefined is what Netbox records. */
  readonly prefixLength: number | undefined;
}

export interface ExternalSource {
  readonly kind: 'external';
  readonly provider: string;
  /** An absolute path, or `host:port`. */
  readonly socket: string;
}

/** An address of a pool that is not given out for the time being: the one fact kept in `status`. */
export interface QuarantinedAddress {
  readonly ip: Ip;
  /** Epoch ms. */
  readonly until: number;
  readonly reason: QuarantineReason;
  readonly mac: Mac | undefined;
  readonly node: string | undefined;
  /** The Service it is kept for, as `namespace/name`. */
  readonly service: string | undefined;
}
