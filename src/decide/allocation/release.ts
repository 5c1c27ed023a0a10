/** A Service that is no longer ours gives up what it has from us, and loses all our marks. */

import type { ServiceDecision } from './allocation-plan.ts';
import type { Claimant } from './claimant.ts';
import { ownsFinalizer, type ReleaseCause } from './fate.ts';
import { noGrant } from './wanted-grant.ts';

export function release({ service, held }: Claimant, cause: ReleaseCause): ServiceDecision {
  const { grant, hasFinalizer } = service;
  const isOthers = cause === 'class';
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

function describe(type: string, cause: ReleaseCause): string {
  return cause === 'deleted'
    ? 'Service is being deleted'
    : `Service is Type ${type}, not LoadBalancer`;
}
