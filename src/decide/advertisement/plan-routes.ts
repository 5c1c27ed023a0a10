/** Routes learnt from routers → routes of this node's kernel, where the configuration wants them there. */

import type { BgpExport, BgpGlobal, ExportRule } from '../../model/bgp-config.ts';
import type { LearntPath } from '../../model/bgp-path.ts';
import { familyOf, type Ip } from '../../model/ip.ts';
import { formatPrefix, type Prefix, prefixContains, prefixesOverlap } from '../../model/prefix.ts';
import { rangeOfPrefix, rangesOverlap } from '../../model/range.ts';
import type { NextHop, Route } from '../../model/route.ts';
import type { ProtectedPrefix } from '../announcement/protected-prefixes.ts';

export interface RouteFacts {
  readonly export: BgpExport;
  readonly global: Pick<BgpGlobal, 'usesMultiplePaths' | 'ebgpMaximumPaths' | 'ibgpMaximumPaths'>;
  readonly learnt: readonly LearntPath[];
  /** What we advertise ourselves: nobody else is the way there. */
  readonly own: readonly Prefix[];
  /** The cluster's own networks and addresses: how they are reached does not depend on what routers say. */
  readonly protectedPrefixes: readonly ProtectedPrefix[];
  /** Of others, in the kernel: one of ours would take their place. */
  readonly foreign: readonly Route[];
  /** Networks on the links of this node, with the link's number. */
  readonly connected: readonly { readonly prefix: Prefix; readonly linkIndex: number }[];
}

export interface InstalledRoute {
  readonly prefix: Prefix;
  readonly table: number;
  readonly metric: number;
  readonly rule: string;
  /** Undefined: it is not to be installed, for this reason. */
  readonly route: Route | undefined;
  readonly reason: RouteReason;
}

export type RouteReason =
  | 'installed'
  | 'ownPrefix'
  | 'clusterNetwork'
  | 'defaultRouteNeedsCommunity'
  | 'nextHopUnreachable'
  | 'foreignRoute'
  | 'refusedByKernel'
  | 'tooMany';

/** A router that sends more is broken or hostile, and a kernel's table is not the place to find out. */
export const mostRoutes = 10_000;
const mainTable = 254;

export function planRoutes(facts: RouteFacts): readonly InstalledRoute[] {
  if (!facts.export.isEnabled) return [];
  const byPrefix = new Map<string, LearntPath[]>();
  for (const path of facts.learnt) {
    const key = formatPrefix(path.prefix);
    byPrefix.set(key, [...(byPrefix.get(key) ?? []), path]);
  }
  const planned = facts.export.rules.flatMap((rule) =>
    [...byPrefix.values()].flatMap((paths) => planRoute(rule, paths, facts) ?? []),
  );
  return planned.map((each, index) =>
    index < mostRoutes ? each : { ...each, route: undefined, reason: 'tooMany' },
  );
}

function planRoute(
  rule: ExportRule,
  paths: readonly LearntPath[],
  facts: RouteFacts,
): InstalledRoute | undefined {
  const matching = paths.filter((path) => isMeant(rule, path));
  const chosen = choosePaths(matching, facts);
  const [first] = chosen;
  if (first === undefined) return undefined;
  const { prefix } = first;
  const about = {
    prefix,
    table: rule.table === 0 ? mainTable : rule.table,
    metric: rule.metric,
    rule: rule.name,
  };
  const objection = findObjection(rule, prefix, facts);
  if (objection !== undefined) return { ...about, route: undefined, reason: objection };
  const nextHops = chosen.flatMap(({ nextHop }) => hopTo(nextHop, facts) ?? []);
  if (nextHops.length === 0) return { ...about, route: undefined, reason: 'nextHopUnreachable' };
  const { ip, length } = prefix;
  const route: Route = {
    family: familyOf(ip),
    ...(length > 0 && { destination: { ip, prefixLength: length } }),
    nextHops,
    metric: about.metric,
    table: about.table,
    protocol: facts.export.routeProtocol,
    type: 'unicast',
    scope: 0,
  };
  const isTaken = facts.foreign.some((each) => routeKey(each) === routeKey(route));
  return isTaken
    ? { ...about, route: undefined, reason: 'foreignRoute' }
    : { ...about, route, reason: 'installed' };
}

function isMeant({ communities, largeCommunities }: ExportRule, path: LearntPath): boolean {
  if (communities.length + largeCommunities.length === 0) return true;
  return (
    communities.some((each) => path.communities.includes(each)) ||
    largeCommunities.some((each) => path.largeCommunities.includes(each))
  );
}

/** The best one, and with multiple paths those as good as it, as many as allowed. */
function choosePaths(paths: readonly LearntPath[], { global }: RouteFacts): readonly LearntPath[] {
  const best = paths.find(({ isBest }) => isBest);
  if (best === undefined) return [];
  if (!global.usesMultiplePaths) return [best];
  const most = (best.isInternal ? global.ibgpMaximumPaths : global.ebgpMaximumPaths) ?? 1;
  const equal = paths.filter(
    (path) =>
      path !== best &&
      path.asPathLength === best.asPathLength &&
      path.isInternal === best.isInternal &&
      path.nextHop !== best.nextHop,
  );
  return [best, ...equal].slice(0, most);
}

function findObjection(
  { communities, largeCommunities }: ExportRule,
  prefix: Prefix,
  { own, protectedPrefixes }: RouteFacts,
): RouteReason | undefined {
  const isUnmarked = communities.length + largeCommunities.length === 0;
  if (prefix.length === 0) return isUnmarked ? 'defaultRouteNeedsCommunity' : undefined;
  if (own.some((each) => prefixesOverlap(each, prefix))) return 'ownPrefix';
  const wanted = rangeOfPrefix(prefix);
  const isProtected = protectedPrefixes.some(({ range }) => rangesOverlap(range, wanted));
  return isProtected ? 'clusterNetwork' : undefined;
}

/** Only over links of our own: the kernel would refuse anything else. */
function hopTo(nextHop: Ip, { connected }: RouteFacts): NextHop | undefined {
  const link = connected.find(({ prefix }) => prefixContains(prefix, nextHop));
  return link === undefined
    ? undefined
    : { linkIndex: link.linkIndex, gateway: nextHop, weight: 1 };
}

/** What is in the kernel with our mark, against what should be. */
export function diffRoutes(
  wanted: readonly Route[],
  held: readonly Route[],
): { readonly add: readonly Route[]; readonly remove: readonly Route[] } {
  const wantedBy = new Map(wanted.map((route) => [routeKey(route), route]));
  const heldBy = new Map(held.map((route) => [routeKey(route), route]));
  return {
    add: wanted.filter((route) => hopsOf(heldBy.get(routeKey(route))) !== hopsOf(route)),
    remove: held.filter((route) => !wantedBy.has(routeKey(route))),
  };
}

export function routeKey({ family, destination, table, metric }: Route): string {
  return [family, destination?.ip, destination?.prefixLength, table, metric].join(' ');
}

function hopsOf(route: Route | undefined): string {
  const hops = route?.nextHops.map(({ gateway, linkIndex }) => `${gateway} ${linkIndex}`) ?? [];
  return hops.sort().join(',');
}
