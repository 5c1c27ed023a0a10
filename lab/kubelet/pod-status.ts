/** What a kubelet writes about a pod, as a value. */

import { type ContainerReading, containerStatus, timeText } from './container-reading.ts';
import type { RestartPolicy } from './pod-wish.ts';

export interface PodFacts {
  readonly startedAt: number;
  readonly ips: readonly string[];
  readonly hostIps: readonly string[];
  readonly containers: readonly ContainerReading[];
  readonly restartPolicy: RestartPolicy;
}

export type PodPhase = 'Pending' | 'Running' | 'Succeeded' | 'Failed';

export interface PodCondition {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly lastTransitionTime: string;
  readonly reason?: string;
  readonly message?: string;
}

export interface WrittenStatus {
  readonly phase: PodPhase;
  readonly conditions: readonly PodCondition[];
  readonly [field: string]: unknown;
}

/** `before` are the conditions as they are now: a time changes only with its status, and others' stay. */
export function podStatus(
  facts: PodFacts,
  before: readonly PodCondition[],
  now: number,
): WrittenStatus {
  const { startedAt, ips, hostIps, containers } = facts;
  return {
    phase: podPhase(facts),
    startTime: timeText(startedAt),
    hostIP: hostIps[0],
    hostIPs: hostIps.map((ip) => ({ ip })),
    ...(ips.length === 0 ? {} : { podIP: ips[0], podIPs: ips.map((ip) => ({ ip })) }),
    conditions: conditionsOf(facts, before, now),
    containerStatuses: containers.map(containerStatus),
  };
}

export function podPhase({ containers, restartPolicy }: PodFacts): PodPhase {
  const states = containers.map(({ state }) => state);
  const hasRun = ({ lastState, state }: ContainerReading) =>
    state.kind !== 'waiting' || lastState !== undefined;
  if (!containers.every(hasRun)) return 'Pending';
  const codes = states.flatMap((state) => (state.kind === 'terminated' ? [state.exitCode] : []));
  const isOver =
    codes.length === states.length && !containers.some((c) => mayRestart(c, restartPolicy));
  if (!isOver) return 'Running';
  return codes.every((code) => code === 0) ? 'Succeeded' : 'Failed';
}

/** Whether a container that ended is started again. */
export function mayRestart(
  { state }: Pick<ContainerReading, 'state'>,
  policy: RestartPolicy,
): boolean {
  if (state.kind !== 'terminated') return true;
  if (policy === 'OnFailure') return state.exitCode !== 0;
  return policy === 'Always';
}

function conditionsOf(
  facts: PodFacts,
  before: readonly PodCondition[],
  now: number,
): readonly PodCondition[] {
  const wishes = wishesOf(facts);
  const others = before.filter(({ type }) => !wishes.some((wish) => wish.type === type));
  const own = wishes.map((wish): PodCondition => {
    const known = before.find(({ type }) => type === wish.type);
    const isSame = known?.status === wish.status;
    return { ...wish, lastTransitionTime: isSame ? known.lastTransitionTime : timeText(now) };
  });
  return [...own, ...others];
}

type Wish = Omit<PodCondition, 'lastTransitionTime'>;

function wishesOf(facts: PodFacts): readonly Wish[] {
  const { containers, ips } = facts;
  const unready = containers.filter(({ isReady }) => !isReady).map(({ name }) => name);
  const phase = podPhase(facts);
  const readiness = readinessOf(unready, phase);
  const truth = (is: boolean) => (is ? 'True' : 'False');
  return [
    { type: 'PodReadyToStartContainers', status: truth(ips.length > 0) },
    { type: 'Initialized', status: 'True' },
    { type: 'Ready', ...readiness },
    { type: 'ContainersReady', ...readiness },
    { type: 'PodScheduled', status: 'True' },
  ];
}

function readinessOf(unready: readonly string[], phase: PodPhase): Omit<Wish, 'type'> {
  if (phase === 'Succeeded') return { status: 'False', reason: 'PodCompleted' };
  if (phase === 'Failed') return { status: 'False', reason: 'PodFailed' };
  if (unready.length === 0) return { status: 'True' };
  const message = `containers with unready status: [${unready.join(' ')}]`;
  return { status: 'False', reason: 'ContainersNotReady', message };
}
