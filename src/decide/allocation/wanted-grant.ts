/** What is to be written on a Service about its addresses. */

import type { LoadBalancer } from '../../model/load-balancer.ts';
import type { Prefix } from '../../model/prefix.ts';
import type { WantedGrant } from './allocation-plan.ts';
import type { Place } from './place.ts';
import type { Outcome } from './serve.ts';

/**
 * Of a Service that we serve; one without addresses carries none of our marks. `sources`: pools beside those of its
 * addresses that may have something for it.
 */
export function wantedGrant(
  service: LoadBalancer,
  { addresses, isReEvaluated }: Pick<Outcome, 'addresses' | 'isReEvaluated'>,
  sources: readonly string[] = [],
): WantedGrant {
  const { grant, hasFinalizer, request } = service;
  const first = addresses.find(({ pool }) => pool !== undefined)?.pool;
  const hasAddresses = addresses.length > 0;
  const isOurs = hasAddresses || sources.length > 0;
  return {
    isOurs,
    ingress: sameOr(
      grant.ingress,
      addresses.map(({ ip }) => ip),
    ),
    pools: sameOr(grant.pools, [...new Set([...poolNames(grant.pools, addresses), ...sources])]),
    poolType: hasAddresses ? (first?.announce ?? grant.poolType) : undefined,
    prefixes: prefixesOf(grant.prefixes, addresses),
    skipsDad: hasAddresses && (first?.skipsDad ?? grant.skipsDad),
    // Without our marks nobody would know that the finalizer is ours.
    hasFinalizer: isOurs || (hasFinalizer && !grant.isOurs),
    wantsReEvaluation: request.wantsReEvaluation && !isReEvaluated,
    isCleared: false,
  };
}

/** By the addresses; only what lies in no pool that is in force keeps the name it was given under. */
function poolNames(former: readonly string[], addresses: readonly Place[]): readonly string[] {
  const names: string[] = [];
  for (const { pool } of addresses) {
    for (const name of pool === undefined ? former : [pool.name]) {
      if (!names.includes(name)) names.push(name);
    }
  }
  return names;
}

function prefixesOf(present: readonly Prefix[], addresses: readonly Place[]): readonly Prefix[] {
  const prefixes: Prefix[] = [];
  for (const { ip, prefixLength } of addresses) {
    if (prefixLength === undefined) continue;
    const known = present[prefixes.length];
    const isKnown = known?.ip === ip && known.length === prefixLength;
    prefixes.push(isKnown ? known : { ip, length: prefixLength });
  }
  return sameOr(present, prefixes);
}

/** What says the same is the same: plans of many Services are remembered. */
function sameOr<T>(present: readonly T[], wanted: readonly T[]): readonly T[] {
  return isSameList(present, wanted) ? present : wanted;
}

/** Of a Service that is no longer ours: `ingress` is what others wrote. */
export function noGrant(ingress: WantedGrant['ingress'], hasFinalizer: boolean): WantedGrant {
  return {
    isOurs: false,
    ingress,
    pools: [],
    poolType: undefined,
    prefixes: [],
    skipsDad: false,
    hasFinalizer,
    wantsReEvaluation: false,
    isCleared: true,
  };
}

/** Whether the Service already is as it is to be. */
export function isGranted(
  { grant, hasFinalizer, request }: LoadBalancer,
  wanted: WantedGrant,
): boolean {
  return (
    grant.isOurs === wanted.isOurs &&
    grant.poolType === wanted.poolType &&
    grant.skipsDad === wanted.skipsDad &&
    hasFinalizer === wanted.hasFinalizer &&
    request.wantsReEvaluation === wanted.wantsReEvaluation &&
    isSameList(grant.ingress, wanted.ingress) &&
    isSameList(grant.pools, wanted.pools) &&
    isSameList(grant.prefixes, wanted.prefixes)
  );
}

function isSameList<T>(left: readonly T[], right: readonly T[]): boolean {
  return left.length === right.length && left.every((item, index) => item === right[index]);
}
