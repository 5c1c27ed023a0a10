/** An LBNodeAgent in our words: how the agents of the selected nodes announce addresses. */

import type { Identity } from './identity.ts';
import type { LabelSelector } from './label-selector.ts';

export interface AgentConfig {
  readonly identity: Identity;
  /** Empty selects every node that no other configuration selects. */
  readonly nodeSelector: LabelSelector;
  /** Undefined: this object selects nodes and configures nothing. */
  readonly local: LocalConfig | undefined;
}

export interface LocalConfig {
  readonly links: LinkChoice;
  readonly dummyLink: string;
  readonly announcements: Announcements;
  /** Of addresses on the nodes' own links; IPv6 addresses there are never preferred, whatever this says. */
  readonly localLifetime: Lifetime;
  readonly dummyLifetime: Lifetime;
  readonly onShutdown: 'Auto' | 'Handover' | 'Keep';
  readonly isGuarded: boolean;
  /** So long at most an address that is new waits for kube-proxy; 0: not at all. */
  readonly forwardingWaitMs: number;
  readonly failover: FailoverTimings;
}

/** The links that local addresses may go on. */
export interface LinkChoice {
  /** Undefined: the link with the default route. */
  readonly pattern: RegExp | undefined;
  /** Further ones by exact name, in order. */
  readonly names: readonly string[];
}

export interface Announcements {
  readonly isEnabled: boolean;
  /** When they are sent, in ms after the address was taken. */
  readonly scheduleMs: readonly number[];
  readonly verifiesBeforeSend: boolean;
  /** Undefined: only when an address is taken. */
  readonly refreshMs: number | undefined;
}

/** `Infinity` is for ever. */
export interface Lifetime {
  readonly validSeconds: number;
  readonly preferredSeconds: number;
  readonly noPrefixRoute: boolean;
}

export interface FailoverTimings {
  readonly probeIntervalMs: number;
  readonly misses: number;
  readonly confirmMs: number;
  readonly rankDelayMs: number;
  readonly stallMs: number;
  readonly linkSettleMs: number;
  readonly restartGraceMs: number;
  readonly handoverOverlapMs: number;
  readonly handoverTimeoutMs: number;
  readonly damping: { readonly moves: number; readonly windowMs: number; readonly holdMs: number };
  /** Gratuitous frames per second; undefined is as many as there are. */
  readonly maxFramesPerSecond: number | undefined;
}
