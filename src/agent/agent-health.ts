import type { Clock } from '../runtime/clock.ts';
import { HealthChecks } from '../runtime/health.ts';
import type { Agent } from './agent.ts';

/** A pass takes milliseconds; one that lasts so long will never end. */
const longestRunMs = 60_000;

/** Whether it is alive: restarting it would help. */
export function livenessOf({ reconciler }: Agent, clock: Clock): HealthChecks {
  const checks = new HealthChecks();
  checks.add('reconciler', () => {
    const { running } = reconciler.state;
    const ms = running === undefined ? 0 : clock.monotonic() - running.since;
    return ms < longestRunMs ? undefined : `has been at it for ${Math.round(ms / 1000)} s`;
  });
  return checks;
}

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
