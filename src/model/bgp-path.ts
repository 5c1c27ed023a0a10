/** A route that this node advertises, and one that it learnt. */

import { compareTexts } from './compare-texts.ts';
import { familyOf, type Ip } from './ip.ts';
import { formatPrefix, type Prefix } from './prefix.ts';

export interface BgpPath {
  /** Without host bits: the daemon would cut them off in silence. */
  readonly prefix: Prefix;
  /** `0.0.0.0` and `::` stand for the session's own address. */
  readonly nextHop: Ip;
  /** `65000:100`, sorted. */
  readonly communities: readonly string[];
}

export interface LearntPath extends BgpPath {
  /** Address of the neighbour that sent it. */
  readonly from: string;
  readonly largeCommunities: readonly string[];
  readonly isBest: boolean;
  /** Kept while its neighbour restarts. */
  readonly isStale: boolean;
  readonly asPathLength: number;
  /** Sent by a neighbour of our own autonomous system. */
  readonly isInternal: boolean;
}

/** What makes two paths the same route to the same place. */
export function pathKey({ prefix, nextHop, communities }: BgpPath): string {
  return [formatPrefix(prefix), nextHop, ...communities].join(' ');
}

export function sortedCommunities(communities: Iterable<string>): readonly string[] {
  return [...new Set(communities)].sort(compareTexts);
}

export const familyOfPath = ({ prefix }: BgpPath) => familyOf(prefix.ip);

/** RFC 8326: asks routers to prefer other ways, because this one is about to go. */
export const gracefulShutdown = '65535:0';
