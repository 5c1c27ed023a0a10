/** A Service in our words: what is asked for, what was given, who announces it. */

import type { Move } from './address-lists.ts';
import type { AllocationRecord } from './allocation-record.ts';
import type { Slot } from './announcing.ts';
import type { Condition } from './condition.ts';
import type { Identity, Labels } from './identity.ts';
import type { Family, Ip } from './ip.ts';
import type { Problem } from './parsed.ts';
import type { AnnounceMode } from './pool.ts';
import type { Prefix } from './prefix.ts';
import type { RouteWish } from './route-wish.ts';

export interface LoadBalancer {
  readonly identity: Identity;
  /** `namespace/name`. */
  readonly key: string;
  readonly labels: Labels;
  /** `spec.type` as written; Kubernetes' default where it is absent. */
  readonly type: string;
  /** `spec.type` is LoadBalancer; one that no longer is may still hold addresses. */
  readonly isLoadBalancer: boolean;
  readonly loadBalancerClass: string | undefined;
  /** Without one there is nothing to balance to. */
  readonly hasClusterIp: boolean;
  /** Carries the finalizer that lets us clean up before it is gone. */
  readonly hasFinalizer: boolean;
  readonly families: readonly Family[];
  readonly familyPolicy: 'SingleStack' | 'PreferDualStack' | 'RequireDualStack';
  readonly ports: readonly ServicePort[];
  readonly externalTrafficPolicy: 'Cluster' | 'Local';
  readonly request: AddressRequest;
  /** Undefined: nothing is asked of its routes. */
  readonly routeWish: RouteWish | undefined;
  readonly grant: AddressGrant;
  readonly conditions: readonly Condition[];
}

export interface ServicePort {
  readonly protocol: 'TCP' | 'UDP' | 'SCTP';
  readonly port: number;
}

/** What people ask for, mostly by annotation. */
export interface AddressRequest {
  /** The group by name; an empty name is a name, and no group has it. */
  readonly group: string | undefined;
  readonly addresses: readonly Ip[];
  /** Where the addresses are asked for, the field being deprecated; an empty annotation asks for none. */
  readonly addressesFrom: 'annotation' | 'spec' | undefined;
  readonly sharingKey: string | undefined;
  /** Overrides the group's setting. */
  readonly multiPool: boolean | undefined;
  readonly allowsLocal: boolean;
  readonly prefersEndpoints: boolean;
  readonly wantsReEvaluation: boolean;
  readonly moves: readonly Move[];
  /** What of it cannot be read. The Service keeps what it holds, and is given nothing until this is mended. */
  readonly problems: readonly Problem[];
}

/**
 * What the allocator gave and the agents made of it. `ingress` and `record` come from the status, which only controllers
 * can write. Everything else comes from annotations, which the owner of the Service can write as well.
 */
export interface AddressGrant {
  /** Marked as given by us. */
  readonly isOurs: boolean;
  /** What the condition `Allocated` says; undefined while there is none. */
  readonly record: AllocationRecord | undefined;
  readonly ingress: readonly Ip[];
  /** Entries that we cannot have written: host names, no addresses. */
  readonly hasForeignIngress: boolean;
  /** Names of the groups, each once. */
  readonly pools: readonly string[];
  readonly poolType: AnnounceMode | undefined;
  /** Each address with its prefix length, where the allocator wrote it down. */
  readonly prefixes: readonly Prefix[];
  readonly skipsDad: boolean;
  /** Of addresses that the Service has by its status, and of no others. */
  readonly slots: readonly Slot[];
  /** Families whose annotation has slots of other addresses as well: left over or forged, and to be taken out. */
  readonly strayFamilies: readonly Family[];
  /** v1's note of the winner, `node/link`. */
  readonly addedTo: string | undefined;
}
