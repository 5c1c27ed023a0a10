/** The words of the lab: a network is described by these values first and made afterwards. */

import type { Ip } from '../../src/model/ip.ts';
import type { Mac } from '../../src/model/mac.ts';
import type { Prefix } from '../../src/model/prefix.ts';

export interface NetworkPlan {
  readonly segments: readonly SegmentPlan[];
  readonly hosts: readonly HostPlan[];
}

/** A LAN: everything on it hears everything on it. */
export interface SegmentPlan {
  readonly name: string;
  /** Appears in the MACs of its NICs, so that a captured frame tells where it comes from. */
  readonly number: number;
  readonly ipv4?: Prefix;
  readonly ipv6?: Prefix;
  readonly mtu: number;
}

export type Role = 'node' | 'client' | 'router' | 'server' | 'pod';

export interface HostPlan {
  readonly name: string;
  readonly role: Role;
  readonly nics: readonly NicPlan[];
  readonly routes: readonly RoutePlan[];
  /** Passes packets on between its NICs. */
  readonly forwards: boolean;
  /** Let the kernel check new IPv6 addresses for a second holder, which takes it one to two seconds. */
  readonly detectsDuplicates: boolean;
}

export interface NicPlan {
  readonly name: string;
  readonly segment: string;
  readonly mac: Mac;
  /** Host addresses with the length of their subnet, such as 192.0.2.11/24. */
  readonly addresses: readonly Prefix[];
  readonly mtu: number;
}

export interface RoutePlan {
  /** A default route where absent. */
  readonly to?: Prefix;
  readonly via: Ip;
}

/** The name of a NIC's other end, on the segment. */
export function portOf(host: Pick<HostPlan, 'name'>, nic: Pick<NicPlan, 'name'>): string {
  return `${host.name}-${nic.name}`;
}
