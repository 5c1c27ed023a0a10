import type { Clock } from '../runtime/clock.ts';
import { HealthChecks } from '../runtime/health.ts';
import type { Allocator } from './allocator.ts';

/** A plan takes milliseconds; one that lasts so long will never end. */
const longestRunMs = 60_000;

/** Whether it is alive: restarting it would help. */
export function livenessOf({ reconciler }: Allocator, clock: Clock): HealthChecks {
  const checks = new HealthChecks();
  checks.add('reconciler', () => {
    const { running } = reconciler.state;
    const ms = running === undefined ? 0 : clock.monotonic() - running.since;
    return ms < longestRunMs ? undefined : `has been at it for ${Math.round(ms / 1000)} s`;
  });
  return checks;
}

/** Whether it can do its work, or take it over at once. */
export function readinessOf(allocator: Allocator): HealthChecks {
  const checks = new HealthChecks();
  checks.add('synced', () => {
    const { unsynced } = allocator.objects;
    return unsynced.length === 0 ? undefined : `not read yet: ${unsynced.join(', ')}`;
  });
  checks.add('configured', () => (allocator.last === undefined ? 'no plan yet' : undefined));
  checks.add('leadership', () => {
    const { isElected, holder } = allocator.leadership;
    const isKnown = allocator.isWriting || (isElected && holder !== undefined);
    return isKnown ? undefined : 'no allocator leads';
  });
  return checks;
}
