import type { Family, Ip } from './ip.ts';

/** A route of the kernel, as far as anyone here reads it. */
export interface Route {
  readonly family: Family;
  /** Absent for a default route. */
  readonly destination?: { readonly ip: Ip; readonly prefixLength: number };
  readonly nextHops: readonly NextHop[];
  readonly source?: Ip;
  /** Lower wins; 0 when the kernel gives none. */
  readonly metric: number;
  readonly table: number;
  /** rtnetlink protocol number: 2 kernel, 3 boot, 4 static, 9 RA, 186 BGP … */
  readonly protocol: number;
  readonly type: RouteType;
  readonly scope: number;
}

export interface NextHop {
  readonly linkIndex?: number;
  readonly gateway?: Ip;
  readonly weight: number;
}

export type RouteType =
  | 'unicast'
  | 'local'
  | 'broadcast'
  | 'anycast'
  | 'multicast'
  | 'blackhole'
  | 'unreachable'
  | 'prohibit'
  | 'other';
