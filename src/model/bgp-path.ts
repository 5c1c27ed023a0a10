/** A route that this node advertises, and one that it learnt. */

import { compareTexts } from './compare-texts.ts';
import { familyOf, type Ip } from './ip.ts';
import { formatPrefix, type Prefix } from './prefix.ts';

/** What routers go by when they choose among ways to the same place. */
export interface RouteAttributes {
  /** `65000:100`, sorted. */
  readonly communities: readonly string[];
  /** `4200000000:1:2`, sorted. */
  readonly largeCommunities: readonly string[];
  /** As it is before our own number comes in front of it: empty, or our own several times to look longer. */
  readonly asPath: readonly number[];
  readonly med: number | undefined;
  /** Goes to neighbours of our own autonomous system alone. */
  readonly localPreference: number | undefined;
}

/** Of a route of which nothing is asked. */
export const plainRoute: RouteAttributes = {
  communities: [],
  largeCommunities: [],
  asPath: [],
  med: undefined,
  localPreference: undefined,
};

export interface BgpPath extends RouteAttributes {
  /** Without host bits: the daemon would cut them off in silence. */
  readonly prefix: Prefix;
  /** `0.0.0.0` and `::` stand for the session's own address. */
  readonly nextHop: Ip;
}

export interface LearntPath extends BgpPath {
  /** Address of the neighbour that sent it. */
  readonly from: string;
  readonly isBest: boolean;
  /** Kept while its neighbour restarts. */
  readonly isStale: boolean;
  readonly asPathLength: number;
  /** Sent by a neighbour of our own autonomous system. */
  readonly isInternal: boolean;
}

/** What makes two paths the same route to the same place. */
export function pathKey(path: BgpPath): string {
  const words = attributesKey(path);
  return [formatPrefix(path.prefix), path.nextHop, ...(words === '' ? [] : [words])].join(' ');
}

/** In words for people as well; empty for one of which nothing is asked. */
export function attributesKey(attributes: RouteAttributes): string {
  const { communities, largeCommunities, asPath, med, localPreference } = attributes;
  return [
    ...communities,
    ...largeCommunities,
    ...(asPath.length === 0 ? [] : [`as-path=${asPath.join(',')}`]),
    ...(med === undefined ? [] : [`med=${med}`]),
    ...(localPreference === undefined ? [] : [`local-pref=${localPreference}`]),
  ].join(' ');
}

export function sortedCommunities(communities: Iterable<string>): readonly string[] {
  return [...new Set(communities)].sort(compareTexts);
}

export const familyOfPath = ({ prefix }: BgpPath) => familyOf(prefix.ip);

/** RFC 8326: asks routers to prefer other ways, because this one is about to go. */
export const gracefulShutdown = '65535:0';
