import type { SelectorState } from '../decide/announcement/choose-agent-config.ts';
import { HealthChecks, type HealthNote } from '../runtime/health.ts';
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
  checks.add('configured', () => noteSilence(agent.last?.cluster.choice.state));
  return checks;
}

/** Not a failure: it may be meant, and a restart would not change it. */
function noteSilence(state: SelectorState | undefined): HealthNote | undefined {
  if (state === 'unconfigured' || state === 'deselected') {
    return { note: 'but no LBNodeAgent configures this node: it announces nothing' };
  }
  if (state === 'invalid') {
    return { note: 'but its LBNodeAgent has an error: this node announces nothing' };
  }
  return undefined;
}
