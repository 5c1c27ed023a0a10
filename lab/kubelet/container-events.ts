import type { ContainerState } from './container-reading.ts';

export interface ContainerEvent {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly action: string;
  readonly note: string;
}

/** What people are told when a container gets into this state, in the words of the real kubelet; often nothing. */
export function eventOf(state: ContainerState, container: string): ContainerEvent | undefined {
  if (state.kind === 'running') {
    const note = `Started container ${container}`;
    return { type: 'Normal', reason: 'Started', action: 'Starting', note };
  }
  if (state.kind !== 'waiting' || state.message === undefined) return undefined;
  const isLooping = state.reason === 'CrashLoopBackOff';
  return {
    type: 'Warning',
    reason: isLooping ? 'BackOff' : 'Failed',
    action: isLooping ? 'Restarting' : 'Pulling',
    // The wait grows, but it is the same event.
    note: isLooping ? `Back-off restarting failed container ${container}` : state.message,
  };
}

export function killingEvent(container: string): ContainerEvent {
  const note = `Stopping container ${container}`;
  return { type: 'Normal', reason: 'Killing', action: 'Killing', note };
}
