/** Addresses that come and go, in the words of Events. */

import type { PlannedEvent } from './allocation-plan.ts';
import type { Claimant } from './claimant.ts';
import { wantsEveryRange } from './fill-ranges.ts';
import type { Place } from './place.ts';
import type { Outcome } from './serve.ts';
import type { GivenUp } from './shed-addresses.ts';

export function listAddresses(places: readonly Place[]): string {
  return places.map(({ ip }) => ip).join(', ');
}

export function describeAssignment(
  { service, held }: Claimant,
  { additions, addresses }: Outcome,
): PlannedEvent {
  const list = listAddresses(additions);
  const pools = [...new Set(additions.flatMap(({ pool }) => pool?.name ?? []))].join(', ');
  const [first] = additions;
  const isSpread =
    service.request.addresses.length === 0 &&
    first?.pool !== undefined &&
    wantsEveryRange(service, first.pool);
  if (!isSpread) return assigned(`Assigned ${list} from pool ${pools}`);
  const count = additions.length;
  return held.length === 0
    ? assigned(`Multi-pool: assigned ${count} IPs from pool ${pools}: ${list}`)
    : assigned(
        `Incremental multi-pool: added ${count} IPs (total ${addresses.length}) from pool ${pools}: ${list}`,
      );
}

function assigned(message: string): PlannedEvent {
  return { reason: 'AddressAssigned', message };
}

export function describeGivenUp(givesUp: readonly GivenUp[]): readonly PlannedEvent[] {
  const byCause = Map.groupBy(givesUp, ({ cause }) => cause);
  return [...byCause].map(([cause, gone]) => {
    const ips = gone.map(({ place }) => place.ip);
    return { reason: 'AddressReleased', message: describeCause(cause, ips) };
  });
}

function describeCause(cause: GivenUp['cause'], ips: readonly string[]): string {
  const list = ips.join(', ');
  switch (cause) {
    case 'family':
      return `Released addresses no longer needed after IP family transition: [${ips.join(' ')}]`;
    case 'surplus':
      return `Released ${list}: multi-pool allocation is not asked for`;
    case 'subnet':
      return `Released ${list}: no node is on its subnet any more`;
    case 'conflict':
      return `Released ${list}: someone else on the network uses it`;
    case 'converged':
      return `Released ${list} on re-evaluation`;
    default:
      return cause satisfies never;
  }
}
