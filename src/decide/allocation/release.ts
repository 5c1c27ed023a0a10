/** A Service that is no longer ours gives up what it has from us, and loses all our marks. */

import type { LoadBalancer } from '../../model/load-balancer.ts';
import type { ServiceDecision, WantedGrant } from './allocation-plan.ts';
import type { AllocationState } from './allocation-state.ts';
import type { Claimant } from './claimant.ts';
import { ownsFinalizer, type ReleaseCause } from './fate.ts';
import { findReturns, waitForReturn } from './source-returns.ts';
import { isGranted, noGrant } from './wanted-grant.ts';

export function release(
  claimant: Claimant,
  cause: ReleaseCause,
  state: Pick<AllocationState, 'pools' | 'returned'>,
): ServiceDecision {
  const { service, held } = claimant;
  const { grant, hasFinalizer } = service;
  const isOthers = cause === 'class';
  const returns = isOthers ? [] : findReturns(service, () => false, state);
  if (returns.length > 0) return withdraw(claimant, returns);
  const returned = isOthers ? [] : held.filter(({ use }) => grant.isOurs || use !== undefined);
  const gone = new Set(returned.map(({ ip }) => ip));
  const remaining = grant.ingress.filter((ip) => !gone.has(ip));
  return {
    kind: 'release',
    service,
    grant: noGrant(remaining, hasFinalizer && (isOthers || !ownsFinalizer(service))),
    condition: undefined,
    gains: [],
    givesUp: returned.map(({ ip, pool }) => ({ ip, pool: pool?.name })),
    via: undefined,
    events:
      returned.length > 0
        ? [{ reason: 'AddressReleased', message: describe(service.type, cause) }]
        : [],
    counts: [],
    waitsFor: [],
    policy: undefined,
    isChange: true,
  };
}

/**
 * First nobody announces the addresses any more, then their sources take them back, then the Service is let go: which
 * addresses those are stays written on it meanwhile, so that nobody else is given one.
 */
function withdraw({ service, held }: Claimant, returns: readonly string[]): ServiceDecision {
  const { grant } = service;
  const gone = new Set(held.map(({ ip }) => ip));
  const wanted = {
    ...noGrant(
      grant.ingress.filter((ip) => !gone.has(ip)),
      true,
    ),
    isOurs: true,
    pools: returns,
    prefixes: grant.prefixes,
    // The agents are still at it.
    isCleared: false,
  };
  return {
    kind: 'release',
    service,
    grant: wanted,
    condition: undefined,
    gains: [],
    givesUp: [],
    via: undefined,
    events: [],
    counts: [],
    waitsFor: returns.map(waitForReturn),
    policy: undefined,
    isChange: !isWithdrawn(service, wanted),
  };
}

function isWithdrawn(service: LoadBalancer, wanted: WantedGrant): boolean {
  const isSaid = service.conditions.some(({ type }) => type === 'Allocated');
  return !isSaid && isGranted(service, wanted);
}

function describe(type: string, cause: ReleaseCause): string {
  return cause === 'deleted'
    ? 'Service is being deleted'
    : `Service is Type ${type}, not LoadBalancer`;
}
