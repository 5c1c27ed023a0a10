import { HealthChecks } from '../runtime/health.ts';
import type { Agent } from './agent.ts';

/** Whether it does its work. */
export function readinessOf(agent: Agent): HealthChecks {
  const { parts } = agent;
  const checks = new HealthChecks();
  checks.add('synced', () => {
    const { unsynced } = parts.objects;
    return unsynced.length === 0 ? undefined : `not read yet: ${unsynced.join(', ')}`;
  });
  checks.add('placed', () => (agent.last === undefined ? 'no pass yet' : undefined));
  checks.add('member', () =>
    parts.membership.isHealthy ? undefined : 'the own Lease is not renewed',
  );
  return checks;
}
