/** A Service that is no longer ours gives up what it has from us, and loses all our marks. */

import { describeAllocation, joinNotes } from '../../model/allocation-record.ts';
import type { LoadBalancer } from '../../model/load-balancer.ts';
import type { ServiceDecision, WantedCondition, WantedGrant } from './allocation-plan.ts';
import type { AllocationState } from './allocation-state.ts';
import type { Claimant } from './claimant.ts';
import { ownsFinalizer, type ReleaseCause } from './fate.ts';
import type { Place } from './place.ts';
import { findReturns, waitForReturn } from './source-returns.ts';
import { isGranted, noGrant } from './wanted-grant.ts';

export function release(
  claimant: Claimant,
  cause: ReleaseCause,
  state: Pick<AllocationState, 'pools' | 'returned' | 'retired'>,
): ServiceDecision {
  const { service, held } = claimant;
  const { grant, hasFinalizer } = service;
  const isOthers = cause === 'class';
  const returns = isOthers ? [] : findReturns(service, () => false, state);
  if (returns.length > 0) return withdraw(claimant, returns);
  const isOurs = ({ ip, use }: Place) =>
    grant.isOurs || use !== undefined || grant.record?.ips.includes(ip) === true;
  const returned = isOthers ? [] : held.filter(isOurs);
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
 * First nobody announces the addresses any more, then their sources take them back, then the Service is let go. Its
 * condition says meanwhile which addresses those are, so that nobody else is given one.
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
    // The agents are still at it.
    isCleared: false,
  };
  const condition = conditionOf(held, returns);
  return {
    kind: 'release',
    service,
    grant: wanted,
    condition,
    gains: [],
    givesUp: [],
    via: undefined,
    events: [],
    counts: [],
    waitsFor: returns.map(waitForReturn),
    policy: undefined,
    isChange: !isWithdrawn(service, wanted, condition),
  };
}

function conditionOf(
  held: Claimant['held'],
  pools: readonly string[],
): WantedCondition | undefined {
  const summary = describeAllocation({ ips: held.map(({ ip }) => ip), pools });
  if (summary === '') return undefined;
  const message = joinNotes(summary, ['going back to where it came from']);
  return { type: 'Allocated', status: 'False', reason: 'Pending', message };
}

function isWithdrawn(
  service: LoadBalancer,
  wanted: WantedGrant,
  condition: WantedCondition | undefined,
): boolean {
  const present = service.conditions.find(({ type }) => type === 'Allocated');
  return present?.message === condition?.message && isGranted(service, wanted);
}

function describe(type: string, cause: ReleaseCause): string {
  return cause === 'deleted'
    ? 'Service is being deleted'
    : `Service is Type ${type}, not LoadBalancer`;
}
