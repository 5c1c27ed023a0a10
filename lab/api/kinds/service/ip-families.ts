/** Which IP families a Service gets: what it asks for, what its addresses say, what the cluster has. */

import { type FieldCause, invalidValue } from '../../field-cause.ts';
import { equalJson } from '../../json.ts';
import {
  familyOfText,
  type IpFamily,
  isHeadless,
  needsClusterIp,
  type ServiceSpec,
} from './service-spec.ts';

/** Fills in ipFamilyPolicy and ipFamilies as far as the cluster can serve them. */
export function setIpFamilies(spec: ServiceSpec, cluster: readonly IpFamily[]): void {
  if (!needsClusterIp(spec)) return;
  const isFree = isFreeHeadless(spec);
  spec.ipFamilyPolicy ??= isFree ? 'RequireDualStack' : 'SingleStack';
  const canBeDual = cluster.length > 1 || isFree;
  const isDual = spec.ipFamilyPolicy !== 'SingleStack' && canBeDual;
  spec.ipFamilies = completeFamilies(namedFamilies(spec), cluster[0] ?? 'IPv4', isDual);
}

function completeFamilies(named: string[], fallback: string, isDual: boolean): string[] {
  if (named.length > 1) return named;
  const first = named[0] ?? fallback;
  return isDual ? [first, otherFamily(first)] : [first];
}

/** Without address and without selector: whoever writes its endpoints decides about families. */
export function isFreeHeadless(spec: ServiceSpec): boolean {
  return isHeadless(spec) && Object.keys(spec.selector ?? {}).length === 0;
}

export function otherFamily(family: string): IpFamily {
  return family === 'IPv4' ? 'IPv6' : 'IPv4';
}

/** Families that the spec names itself, or that follow from its addresses. */
function namedFamilies({ ipFamilies = [], clusterIPs = [] }: ServiceSpec): string[] {
  const families = [...ipFamilies];
  for (const ip of clusterIPs.slice(families.length)) {
    const family = familyOfText(ip);
    if (ip !== 'None' && !families.includes(family)) families.push(family);
  }
  return families;
}

/** What the caller leaves open stays as it was. */
export function carryFamilies(spec: ServiceSpec, old: ServiceSpec): void {
  if (!needsClusterIp(spec) || !needsClusterIp(old)) return;
  if (spec.ipFamilyPolicy === undefined && old.ipFamilyPolicy !== undefined) {
    spec.ipFamilyPolicy = old.ipFamilyPolicy;
  }
  trimToSingle(spec, old);
}

/** Back to one family: the second address and family go, if the caller left them as they were. */
function trimToSingle(spec: ServiceSpec, old: ServiceSpec): void {
  if (spec.ipFamilyPolicy !== 'SingleStack' || old.ipFamilyPolicy === 'SingleStack') return;
  if (equalJson(spec.clusterIPs, old.clusterIPs)) {
    spec.clusterIPs = (spec.clusterIPs ?? []).slice(0, 1);
  }
  if (equalJson(spec.ipFamilies, old.ipFamilies)) {
    spec.ipFamilies = (spec.ipFamilies ?? []).slice(0, 1);
  }
}

/** A second address or family is given back only by asking for SingleStack. */
export function releaseObstacles(spec: ServiceSpec, old: ServiceSpec): readonly FieldCause[] {
  if (!needsClusterIp(spec) || !needsClusterIp(old)) return [];
  const { ipFamilyPolicy = '' } = spec;
  if (ipFamilyPolicy === 'SingleStack') return [];
  const isReleased = (field: 'clusterIPs' | 'ipFamilies') =>
    (old[field] ?? []).length > 1 && (spec[field] ?? []).length === 1;
  const refuse = (what: string) => [
    invalidValue(
      'spec.ipFamilyPolicy',
      ipFamilyPolicy,
      `must be 'SingleStack' to release the secondary ${what}`,
    ),
  ];
  return [
    ...(isReleased('clusterIPs') ? refuse('cluster IP') : []),
    ...(isReleased('ipFamilies') ? refuse('IP family') : []),
  ];
}

/** Two addresses or families need a policy that allows them; no policy means one of each. */
export function singleObstacles(spec: ServiceSpec): readonly FieldCause[] {
  const { ipFamilies = [], ipFamilyPolicy = 'SingleStack', clusterIPs = [] } = spec;
  if (!needsClusterIp(spec) || isFreeHeadless(spec) || ipFamilyPolicy !== 'SingleStack') return [];
  if (ipFamilies.length < 2 && clusterIPs.length < 2) return [];
  const what = ipFamilies.length > 1 ? 'IP families' : 'cluster IPs';
  const detail = `must be 'RequireDualStack' or 'PreferDualStack' when multiple ${what} are specified`;
  return [invalidValue('spec.ipFamilyPolicy', ipFamilyPolicy, detail)];
}

/** What the cluster cannot give; only looked at when everything else is in order. */
export function clusterObstacles(
  spec: ServiceSpec,
  cluster: readonly IpFamily[],
): readonly FieldCause[] {
  const { ipFamilies = [], ipFamilyPolicy } = spec;
  if (!needsClusterIp(spec) || isFreeHeadless(spec)) return [];
  if (ipFamilyPolicy === 'RequireDualStack' && cluster.length < 2) {
    const detail = 'this cluster is not configured for dual-stack services';
    return [invalidValue('spec.ipFamilyPolicy', ipFamilyPolicy, detail)];
  }
  const missing = ipFamilies.findIndex((family) => !cluster.includes(family as IpFamily));
  if (missing < 0) return [];
  const family = ipFamilies[missing] ?? '';
  return [invalidValue(`spec.ipFamilies[${missing}]`, family, 'not configured on this cluster')];
}
