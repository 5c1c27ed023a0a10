import { HealthChecks } from '../runtime/health.ts';
import type { Allocator } from './allocator.ts';

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
