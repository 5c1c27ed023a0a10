/**
 * What Services ask for their routes, as far as the configuration allows it. A route that several Services stand behind
 * is one route: the oldest of them has the say, with or without wishes, so that nobody who comes later can turn away the
 * traffic of those that are there, and all nodes say the same.
 */

import { routeAnnotations as names } from '../../model/annotations.ts';
import type { AllowedAttributes, NumberBounds } from '../../model/bgp-config.ts';
import {
  attributesKey,
  type BgpPath,
  plainRoute,
  type RouteAttributes,
} from '../../model/bgp-path.ts';
import { spellCommunity } from '../../model/community.ts';
import { compareTexts } from '../../model/compare-texts.ts';
import type { Identity } from '../../model/identity.ts';
import type { Ip } from '../../model/ip.ts';
import type { LoadBalancer } from '../../model/load-balancer.ts';
import { formatPrefix, type Prefix, prefixContains } from '../../model/prefix.ts';
import type { RouteWish } from '../../model/route-wish.ts';
import { isHostRoute } from './plan-paths.ts';

export interface AttributeFacts {
  readonly services: readonly LoadBalancer[];
  readonly allowed: AllowedAttributes;
  /** Our own autonomous system. */
  readonly asn: number;
  /** Some neighbour is of our own autonomous system. */
  readonly hasInternal: boolean;
}

export interface AttributePlan {
  readonly paths: readonly BgpPath[];
  readonly refusals: readonly RouteRefusal[];
}

export interface RouteRefusal {
  readonly service: Pick<Identity, 'namespace' | 'name' | 'uid'>;
  readonly message: string;
}

export function planAttributes(paths: readonly BgpPath[], facts: AttributeFacts): AttributePlan {
  const services = facts.services.filter(isServed).sort(compareAge);
  if (services.every(({ routeWish }) => routeWish === undefined)) return { paths, refusals: [] };
  const judged = new Map(services.map((one) => [one, judgeWish(one.routeWish, facts)]));
  const find = indexByAddress(services);
  const shared: RouteRefusal[] = [];
  const decorated = paths.map((path) => {
    const [oldest, ...others] = find(path.prefix);
    const attributes = (oldest && judged.get(oldest)?.attributes) ?? plainRoute;
    for (const other of others) {
      if (oldest === undefined || isContent(other, attributes, judged.get(other))) continue;
      const message = `${formatPrefix(path.prefix)} is the route of ${oldest.key} as well, which is older: what that asks for counts`;
      shared.push({ service: other.identity, message });
    }
    return { ...path, ...attributes };
  });
  const refusals = services.flatMap((one) =>
    (judged.get(one)?.refusals ?? []).map((message) => ({ service: one.identity, message })),
  );
  return { paths: decorated, refusals: [...refusals, ...shared] };
}

function isServed({ isLoadBalancer, grant, identity }: LoadBalancer): boolean {
  return isLoadBalancer && grant.isOurs && !identity.isDeleting;
}

function compareAge(left: LoadBalancer, right: LoadBalancer): number {
  return left.identity.createdAt - right.identity.createdAt || compareTexts(left.key, right.key);
}

/** Services of a route, the oldest first. */
function indexByAddress(
  services: readonly LoadBalancer[],
): (prefix: Prefix) => readonly LoadBalancer[] {
  const byIp = new Map<Ip, LoadBalancer[]>();
  for (const one of services) {
    for (const ip of new Set(one.grant.ingress)) {
      const sharing = byIp.get(ip);
      if (sharing === undefined) byIp.set(ip, [one]);
      else sharing.push(one);
    }
  }
  return (prefix) =>
    isHostRoute(prefix)
      ? (byIp.get(prefix.ip) ?? [])
      : services.filter(({ grant }) => grant.ingress.some((ip) => prefixContains(prefix, ip)));
}

/** Who asks for nothing takes what there is. */
function isContent(
  { routeWish }: LoadBalancer,
  found: RouteAttributes,
  judged: JudgedWish | undefined,
): boolean {
  return (
    routeWish === undefined ||
    attributesKey(judged?.attributes ?? plainRoute) === attributesKey(found)
  );
}

interface JudgedWish {
  readonly attributes: RouteAttributes;
  readonly refusals: readonly string[];
}

function judgeWish(wish: RouteWish | undefined, facts: AttributeFacts): JudgedWish {
  if (wish === undefined) return { attributes: plainRoute, refusals: [] };
  const { allowed, asn } = facts;
  const isAllowed = (text: string) => allowed.communities.some((each) => covers(each, text));
  const prepend = judgePrepend(wish.prepends, facts);
  const med = judgeNumber('med', wish.med, allowed.med);
  const localPreference = judgeLocalPreference(wish.localPreference, facts);
  const others = [...wish.communities, ...wish.largeCommunities].filter((text) => !isAllowed(text));
  return {
    attributes: {
      communities: wish.communities.filter(isAllowed),
      largeCommunities: wish.largeCommunities.filter(isAllowed),
      asPath: prepend === undefined ? Array<number>(wish.prepends).fill(asn) : [],
      med: med === undefined ? wish.med : undefined,
      localPreference: localPreference === undefined ? wish.localPreference : undefined,
    },
    refusals: [
      ...wish.problems.map(({ path, message }) => `${path}: ${message}`),
      ...others.map((text) => `${names.communities}: ${text} is not in ${listOf('communities')}`),
      ...[prepend, med, localPreference].flatMap((refusal) => refusal ?? []),
    ],
  };
}

const listOf = (field: string) => `serviceAttributes.${field} of the BGPConfiguration`;

function covers(allowed: string, community: string): boolean {
  if (!allowed.endsWith(':*')) return spellCommunity(allowed) === community;
  const start = allowed.slice(0, -1);
  const isAlike = allowed.split(':').length === community.split(':').length;
  return isAlike && community.startsWith(start);
}

/** Neighbours of our own autonomous system would take the route for one that has come round to them. */
function judgePrepend(
  prepends: number,
  { allowed, hasInternal }: AttributeFacts,
): string | undefined {
  if (prepends === 0) return undefined;
  if (prepends > allowed.mostPrepends) {
    return `${names.asPathPrepend}: ${prepends} is more than ${listOf('maxAsPathPrepend')} allows`;
  }
  return hasInternal
    ? `${names.asPathPrepend}: internal neighbours would drop the route, and there are some`
    : undefined;
}

function judgeLocalPreference(
  wanted: number | undefined,
  { allowed, hasInternal }: AttributeFacts,
): string | undefined {
  const refusal = judgeNumber('localPref', wanted, allowed.localPreference);
  if (wanted === undefined || refusal !== undefined || hasInternal) return refusal;
  return `${names.localPref}: only internal neighbours are sent it, and there is none`;
}

function judgeNumber(
  field: 'med' | 'localPref',
  wanted: number | undefined,
  bounds: NumberBounds | undefined,
): string | undefined {
  const isWithin = bounds !== undefined && wanted !== undefined && inBounds(wanted, bounds);
  if (wanted === undefined || isWithin) return undefined;
  return `${names[field]}: ${wanted} is not within ${listOf(field)}`;
}

const inBounds = (number: number, { min, max }: NumberBounds) => number >= min && number <= max;
