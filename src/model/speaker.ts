/** The BGP daemon in our words: what it is to be, what it says it is, and the changes between the two. */

import type {
  Bfd,
  BgpDefinedSet,
  BgpFamily,
  BgpTimers,
  BgpTransport,
  FamilySettings,
  GracefulRestart,
  PolicyStatement,
  RouteSelection,
} from './bgp-config.ts';
import type { BgpPath } from './bgp-path.ts';
import type { Ip } from './ip.ts';

/** Everything that the daemon is to be. */
export interface SpeakerWish {
  readonly identity: SpeakerIdentity;
  readonly policies: SpeakerPolicies;
  readonly groups: readonly GroupWish[];
  readonly peers: readonly PeerWish[];
  readonly paths: readonly BgpPath[];
}

/** Cannot be changed while the daemon runs. */
export interface SpeakerIdentity {
  readonly asn: number;
  readonly routerId: Ip;
  /** -1 does not listen. */
  readonly listenPort: number;
  readonly listenAddresses: readonly Ip[];
  readonly usesMultiplePaths: boolean;
  readonly routeSelection: RouteSelection;
  readonly bindToDevice: string | undefined;
}

/** What a session is made of, with all that it takes from its peer group. */
export interface SessionWish {
  readonly description: string;
  readonly peerAsn: number;
  /** Undefined is the speaker's own. */
  readonly localAsn: number | undefined;
  /** Never logged, never shown: see `fingerprint`. */
  readonly password: string | undefined;
  readonly allowOwnAsn: number;
  readonly replacePeerAsn: boolean;
  readonly allowAspathLoopLocal: boolean;
  readonly removePrivate: 'all' | 'replace' | undefined;
  readonly sendSoftwareVersion: boolean;
  readonly families: readonly FamilySettings[];
  readonly timers: BgpTimers;
  readonly transport: BgpTransport | undefined;
  readonly gracefulRestart: GracefulRestart | undefined;
  readonly multihopTtl: number | undefined;
  readonly leastTtl: number | undefined;
  readonly bfd: Bfd | undefined;
  /** Tells whether anything of it has changed, the password included, without telling the password. */
  readonly fingerprint: string;
}

export interface PeerWish extends SessionWish {
  /** An address, with a zone if it is link-local; or the name of the link it is found on. */
  readonly peer: PeerName;
  readonly isDown: boolean;
  readonly routeReflector: { readonly isClient: boolean; readonly clusterId: string } | undefined;
}

export type PeerName =
  | { readonly kind: 'address'; readonly address: string }
  | { readonly kind: 'link'; readonly link: string };

/** How a neighbour is called in status, logs and metrics. */
export function peerKey(peer: PeerName): string {
  return peer.kind === 'link' ? `iface:${peer.link}` : peer.address;
}

/** Routers of a network that may connect without being listed. */
export interface GroupWish extends SessionWish {
  readonly name: string;
  readonly prefixes: readonly string[];
}

export interface SpeakerPolicies {
  /** Named by their content: one that has changed has another name. */
  readonly sets: readonly BgpDefinedSet[];
  readonly import: SpeakerPolicy;
  readonly export: SpeakerPolicy;
}

export interface SpeakerPolicy {
  /** By its content, like the names of its statements. */
  readonly name: string;
  readonly statements: readonly PolicyStatement[];
  readonly defaultAction: 'accept' | 'reject';
}

/** What the daemon says it is. */
export interface SpeakerState {
  /** Undefined before it is started. */
  readonly identity:
    | { readonly asn: number; readonly routerId: string; readonly listenPort: number }
    | undefined;
  readonly peers: readonly PeerReading[];
  readonly groups: readonly string[];
  readonly dynamicPrefixes: readonly { readonly prefix: string; readonly group: string }[];
  readonly policies: PolicyReading;
  /** Our own; those learnt are read apart. */
  readonly paths: readonly BgpPath[];
}

/** One that has just started, or of which nothing is known. */
export const newDaemon: SpeakerState = {
  identity: undefined,
  peers: [],
  groups: [],
  dynamicPrefixes: [],
  policies: {
    names: [],
    sets: [],
    import: { policies: [], defaultAction: undefined },
    export: { policies: [], defaultAction: undefined },
  },
  paths: [],
};

export interface PolicyReading {
  readonly names: readonly string[];
  readonly sets: readonly Pick<BgpDefinedSet, 'type' | 'name'>[];
  readonly import: AssignmentReading;
  readonly export: AssignmentReading;
}

export interface AssignmentReading {
  readonly policies: readonly string[];
  readonly defaultAction: 'accept' | 'reject' | undefined;
}

export const sessionStates = [
  'Unknown',
  'Idle',
  'Connect',
  'Active',
  'OpenSent',
  'OpenConfirm',
  'Established',
] as const;
export type SessionState = (typeof sessionStates)[number];

export const bfdStates = ['Unknown', 'Up', 'Down', 'AdminDown', 'Init'] as const;
export type BfdState = (typeof bfdStates)[number];

export interface PeerReading {
  readonly peer: PeerName;
  /** Where it was found, for one that is named by its link. */
  readonly address: string;
  readonly group: string;
  readonly description: string;
  readonly peerAsn: number;
  readonly localAsn: number;
  readonly isDown: boolean;
  readonly state: SessionState;
  /** Epoch ms; undefined while it is not established. */
  readonly upSince: number | undefined;
  readonly routerId: string;
  readonly received: number;
  readonly accepted: number;
  readonly advertised: number;
  readonly families: readonly BgpFamily[];
  /** Why it is down, in the daemon's words; empty if it did not say. */
  readonly lastError: string;
  readonly bfd:
    | { readonly state: BfdState; readonly remoteState: BfdState; readonly failures: number }
    | undefined;
}

export type SpeakerChange =
  | { readonly kind: 'start'; readonly identity: SpeakerIdentity }
  /** Adds what is missing, puts both in force at once, and lets sessions take note. */
  | { readonly kind: 'set-policies'; readonly policies: SpeakerPolicies }
  /** Those that are no longer in force. */
  | {
      readonly kind: 'remove-policies';
      readonly names: readonly string[];
      readonly sets: PolicyReading['sets'];
    }
  | { readonly kind: 'add-group'; readonly group: GroupWish }
  | { readonly kind: 'update-group'; readonly group: GroupWish }
  | { readonly kind: 'remove-group'; readonly name: string }
  | {
      readonly kind: 'add-dynamic' | 'remove-dynamic';
      readonly prefix: string;
      readonly group: string;
    }
  /** `isRestarting`: tells the neighbour that our routes come back (RFC 4724). */
  | { readonly kind: 'add-peer'; readonly peer: PeerWish; readonly isRestarting: boolean }
  /** `address`: where the daemon has found it, which for one that is named by its link may have changed since. */
  | { readonly kind: 'update-peer'; readonly peer: PeerWish; readonly address: string }
  | { readonly kind: 'remove-peer'; readonly peer: PeerName; readonly address: string }
  /** So that it takes other timers: the daemon keeps those that were agreed on. */
  | { readonly kind: 'reset-peer'; readonly address: string; readonly words: string }
  /** Additions go before withdrawals, in one message. */
  | {
      readonly kind: 'set-paths';
      readonly add: readonly BgpPath[];
      readonly withdraw: readonly BgpPath[];
    };
