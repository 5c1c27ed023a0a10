/** A node that takes part, as its Lease says. */

import type { Move } from './address-lists.ts';
import type { Conflict } from './conflict.ts';
import type { Ip } from './ip.ts';
import type { KernelLifetimes } from './kernel-lifetimes.ts';
import type { Mac } from './mac.ts';
import type { Prefix } from './prefix.ts';

export interface Member {
  readonly node: string;
  /** Of the process that wrote the Lease; another one means that the agent started anew. */
  readonly instance: string;
  readonly subnets: readonly Prefix[];
  readonly links: readonly MemberLink[];
  /** Addresses that it was to hold and could not put on its links: others are elected for them meanwhile. */
  readonly failing: readonly Ip[];
  /** Addresses of Services on its links that PureLB did not put there. */
  readonly unmarked: readonly Ip[];
  /** Addresses that it holds, and the members that it hands them to. */
  readonly handing: readonly Move[];
  /** Addresses that it was to hold and found a host outside the cluster to have. */
  readonly conflicts: readonly Conflict[];
  /** For how long from its renewal on its kernel keeps what it holds. */
  readonly lifetimes: KernelLifetimes;
  /** Of the agents' own protocol; 0 for agents that do not speak it. */
  readonly protocolVersion: number;
  /** Names of the keys that its agent signs with and accepts, the newest first; empty: it does not sign. */
  readonly peerKeys: readonly string[];
  /**
   * As written. Whether the member lives is judged by seeing it change, on the own clock: the other's may be wrong.
   */
  readonly renewTime: string;
  readonly durationMs: number;
  readonly resourceVersion: string;
}

/** A link of a member that may hold addresses: who may answer there. */
export interface MemberLink {
  readonly name: string;
  /** Every MAC that may answer for it: the link's own, those of bond members, of other links on the segment. */
  readonly macs: readonly Mac[];
  /** The node's own addresses on it. */
  readonly addresses: readonly Prefix[];
  readonly gateways: readonly Ip[];
}
