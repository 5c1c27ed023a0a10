/** A BGPConfiguration in our words. What a neighbour does not state is undefined, so that its peer group may. */

import type { Identity } from './identity.ts';
import type { Ip } from './ip.ts';
import type { LabelSelector } from './label-selector.ts';
import type { Prefix } from './prefix.ts';

export interface BgpConfig {
  readonly identity: Identity;
  readonly global: BgpGlobal;
  readonly neighbors: readonly BgpNeighbor[];
  readonly peerGroups: readonly BgpPeerGroup[];
  readonly dynamicNeighbors: readonly { readonly prefix: Prefix; readonly peerGroup: string }[];
  readonly vrfs: readonly BgpVrf[];
  readonly policies: readonly BgpPolicy[];
  readonly definedSets: readonly BgpDefinedSet[];
  readonly netlinkImport: BgpImport;
  readonly netlinkExport: BgpExport;
  readonly serviceAttributes: AllowedAttributes;
}

/** The families that we speak; others are refused. */
export type BgpFamily = 'ipv4-unicast' | 'ipv6-unicast';

export interface BgpGlobal {
  readonly asn: number;
  readonly routerId: RouterIdChoice;
  /** Where hashed router IDs come from. */
  readonly routerIdPool: Prefix;
  /** -1 does not listen. */
  readonly listenPort: number;
  readonly listenAddresses: readonly Ip[];
  readonly families: readonly BgpFamily[];
  readonly usesMultiplePaths: boolean;
  readonly ebgpMaximumPaths: number | undefined;
  readonly ibgpMaximumPaths: number | undefined;
  readonly routeSelection: RouteSelection;
  readonly gracefulRestart: GracefulRestart | undefined;
  readonly policy: AppliedPolicies;
  readonly bindToDevice: string | undefined;
  readonly nodeStatus: { readonly isEnabled: boolean; readonly heartbeatSeconds: number };
}

export type RouterIdChoice =
  | { readonly kind: 'automatic' }
  | { readonly kind: 'explicit'; readonly ip: Ip }
  | { readonly kind: 'node-ip' }
  | { readonly kind: 'node-external-ip' }
  | { readonly kind: 'node-annotation'; readonly key: string };

export interface RouteSelection {
  readonly alwaysCompareMed: boolean;
  readonly ignoreAsPathLength: boolean;
  readonly externalCompareRouterId: boolean;
  readonly disableBestPathSelection: boolean;
}

/** What neighbours and peer groups have in common. */
export interface BgpSession {
  readonly nodeSelector: LabelSelector;
  readonly description: string | undefined;
  readonly peerAsn: number | undefined;
  readonly localAsn: number | undefined;
  readonly password: BgpPassword | undefined;
  readonly allowOwnAsn: number | undefined;
  readonly replacePeerAsn: boolean | undefined;
  readonly allowAspathLoopLocal: boolean | undefined;
  readonly sendCommunity: 'standard' | 'extended' | 'both' | 'none' | undefined;
  readonly removePrivate: 'all' | 'replace' | undefined;
  readonly sendSoftwareVersion: boolean | undefined;
  readonly families: readonly FamilySettings[] | undefined;
  readonly policy: AppliedPolicies | undefined;
  readonly timers: BgpTimers | undefined;
  readonly transport: BgpTransport | undefined;
  readonly gracefulRestart: GracefulRestart | undefined;
  /** Hops to an external neighbour that is not on a common link. */
  readonly multihopTtl: number | undefined;
  /** What came over more hops is not heard: the least TTL that packets may arrive with (RFC 5082). */
  readonly leastTtl: number | undefined;
  readonly bfd: Bfd | undefined;
}

export interface BgpNeighbor extends BgpSession {
  /** A link-local address comes with the link it is on. */
  readonly peer:
    | { readonly kind: 'address'; readonly ip: Ip; readonly zone: string | undefined }
    | { readonly kind: 'link'; readonly link: string };
  readonly peerGroup: string | undefined;
  readonly isDown: boolean;
  readonly vrf: string | undefined;
  readonly routeReflector: { readonly isClient: boolean; readonly clusterId: string } | undefined;
}

export interface BgpPeerGroup extends BgpSession {
  readonly name: string;
}

export type BgpPassword =
  | { readonly kind: 'inline'; readonly text: string }
  | {
      readonly kind: 'secret';
      readonly name: string;
      readonly key: string;
      readonly isOptional: boolean;
    };

export interface FamilySettings {
  readonly family: BgpFamily;
  readonly isEnabled: boolean;
  readonly prefixLimit:
    | { readonly maxPrefixes: number; readonly warnAtPercent: number | undefined }
    | undefined;
  readonly addPaths: { readonly receives: boolean; readonly sendMax: number } | undefined;
}

export interface AppliedPolicies {
  readonly import: PolicyChain | undefined;
  readonly export: PolicyChain | undefined;
}

export interface PolicyChain {
  readonly policies: readonly string[];
  readonly defaultAction: 'accept' | 'reject' | undefined;
}

/** Seconds; undefined is the daemon's default. */
export interface BgpTimers {
  readonly connectRetry: number | undefined;
  readonly holdTime: number | undefined;
  readonly keepalive: number | undefined;
}

export interface BgpTransport {
  readonly localAddress: Ip | undefined;
  readonly isPassive: boolean;
  readonly bindInterface: string | undefined;
  readonly ipTos: number | undefined;
}

export interface GracefulRestart {
  readonly isEnabled: boolean;
  readonly restartSeconds: number;
  readonly isHelperOnly: boolean;
}

export interface Bfd {
  readonly isEnabled: boolean;
  readonly port: number;
  readonly transmitMicroseconds: number;
  readonly receiveMicroseconds: number;
  readonly multiplier: number;
}

export interface BgpImport {
  readonly isEnabled: boolean;
  readonly vrf: string | undefined;
  /** Names of links, `*` and `?` as wildcards. */
  readonly interfaces: readonly string[];
  /** Addresses in the subnet of some node as well, which hosts there reach without a router. */
  readonly takesLocal: boolean;
}

/** What Services may ask for their routes; all that is not here is refused. */
export interface AllowedAttributes {
  /** Of either kind; `*` in place of the last number stands for any. */
  readonly communities: readonly string[];
  readonly mostPrepends: number;
  readonly med: NumberBounds | undefined;
  readonly localPreference: NumberBounds | undefined;
}

export interface NumberBounds {
  readonly min: number;
  readonly max: number;
}

export interface BgpExport {
  readonly isEnabled: boolean;
  readonly dampeningMs: number;
  readonly routeProtocol: number;
  readonly rules: readonly ExportRule[];
}

export interface ExportRule {
  readonly name: string;
  /** Routes with one of either; a rule without any is for every route. */
  readonly communities: readonly string[];
  readonly largeCommunities: readonly string[];
  readonly vrf: string | undefined;
  readonly table: number;
  readonly metric: number;
  readonly validatesNexthop: boolean;
}

export interface BgpVrf {
  readonly name: string;
  readonly routeDistinguisher: string | undefined;
  readonly importTargets: readonly string[];
  readonly exportTargets: readonly string[];
  readonly netlinkImport: BgpImport;
  /** Undefined: no route goes to the kernel. */
  readonly netlinkExport: ExportRule | undefined;
}

export interface BgpDefinedSet {
  readonly type:
    | 'prefix'
    | 'neighbor'
    | 'as-path'
    | 'community'
    | 'ext-community'
    | 'large-community';
  readonly name: string;
  readonly members: readonly string[];
  readonly prefixes: readonly {
    readonly prefix: Prefix;
    readonly shortest: number;
    readonly longest: number;
  }[];
}

export interface BgpPolicy {
  readonly name: string;
  readonly statements: readonly PolicyStatement[];
}

export interface PolicyStatement {
  readonly name: string;
  readonly conditions: PolicyConditions;
  readonly actions: PolicyActions;
}

export interface MatchSet {
  readonly type: BgpDefinedSet['type'];
  readonly name: string;
  readonly match: 'any' | 'all' | 'invert';
}

export interface Comparison {
  readonly operator: 'eq' | 'ge' | 'le';
  readonly number: number;
}

export interface PolicyConditions {
  readonly sets: readonly MatchSet[];
  readonly asPathLength: Comparison | undefined;
  readonly communityCount: Comparison | undefined;
  readonly routeType: 'internal' | 'external' | 'local' | undefined;
  readonly origin: Origin | undefined;
  readonly nextHops: readonly string[];
  readonly families: readonly BgpFamily[];
  readonly localPreference: number | undefined;
  readonly med: number | undefined;
}

export type Origin = 'igp' | 'egp' | 'incomplete';

export interface CommunityChange {
  readonly how: 'add' | 'remove' | 'replace';
  readonly communities: readonly string[];
}

export interface PolicyActions {
  readonly route: 'accept' | 'reject';
  readonly community: CommunityChange | undefined;
  readonly extCommunity: CommunityChange | undefined;
  readonly largeCommunity: CommunityChange | undefined;
  readonly med: { readonly how: 'mod' | 'replace'; readonly value: number } | undefined;
  /** `asn` undefined is our own. */
  readonly asPrepend: { readonly asn: number | undefined; readonly repeat: number } | undefined;
  readonly localPreference: number | undefined;
  readonly nextHop: Ip | 'self' | 'unchanged' | 'peer-address' | undefined;
  readonly origin: Origin | undefined;
}

/** Every route meets them. */
export const anyRoute: PolicyConditions = {
  sets: [],
  asPathLength: undefined,
  communityCount: undefined,
  routeType: undefined,
  origin: undefined,
  nextHops: [],
  families: [],
  localPreference: undefined,
  med: undefined,
};

/** A route stays as it is; what becomes of it is still to be said. */
export const noActions: Omit<PolicyActions, 'route'> = {
  community: undefined,
  extCommunity: undefined,
  largeCommunity: undefined,
  med: undefined,
  asPrepend: undefined,
  localPreference: undefined,
  nextHop: undefined,
  origin: undefined,
};
