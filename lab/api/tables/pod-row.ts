/** A pod's row: how many containers are ready, and the one word that says best how the pod is. */

import type { ApiObject } from '../api-object.ts';
import { isJsonObject, type Json, type JsonObject, listAt, textAt, valueAt } from '../json.ts';
import {
  ageColumn,
  ageOf,
  column,
  type Layout,
  nameColumn,
  nameOf,
  orNone,
  wide,
} from './column.ts';
import { since } from './human-duration.ts';

export const podLayout: Layout = {
  columns: [
    nameColumn,
    column('Ready'),
    column('Status'),
    column('Restarts'),
    ageColumn,
    ...['IP', 'Node', 'Nominated Node', 'Readiness Gates'].map(wide),
  ],
  cells: (pod, now) => {
    const { ready, total, reason, restarts, lastRestart } = summarize(pod);
    const ago = restarts > 0 && lastRestart !== '' ? ` (${since(lastRestart, now)} ago)` : '';
    return [
      nameOf(pod),
      `${ready}/${total}`,
      reason,
      `${restarts}${ago}`,
      ageOf(pod, now),
      orNone(textAt(listAt(pod, 'status', 'podIPs')[0], 'ip')),
      orNone(textAt(pod, 'spec', 'nodeName')),
      orNone(textAt(pod, 'status', 'nominatedNodeName')),
      readinessGates(pod),
    ];
  },
};

interface Summary {
  ready: number;
  readonly total: number;
  reason: string;
  restarts: number;
  lastRestart: string;
}

function summarize(pod: ApiObject): Summary {
  const sidecars = listAt(pod, 'spec', 'initContainers').filter(isSidecar);
  const summary: Summary = {
    ready: 0,
    total: listAt(pod, 'spec', 'containers').length + sidecars.length,
    reason: textAt(pod, 'status', 'reason') || textAt(pod, 'status', 'phase'),
    restarts: 0,
    lastRestart: '',
  };
  const isGated = conditionOf(pod, 'PodScheduled')['reason'] === 'SchedulingGated';
  if (isGated) summary.reason = 'SchedulingGated';
  const isInitializing = readInitContainers(pod, summary);
  const isInitialized = conditionOf(pod, 'Initialized')['status'] === 'True';
  if (!isInitializing || isInitialized) readContainers(pod, summary);
  summary.reason = endingReason(pod) ?? summary.reason;
  return summary;
}

function isSidecar(container: Json): boolean {
  return textAt(container, 'restartPolicy') === 'Always';
}

export function conditionOf(object: ApiObject, type: string): JsonObject {
  const found = listAt(object, 'status', 'conditions').find((it) => textAt(it, 'type') === type);
  return isJsonObject(found) ? found : {};
}

/** True while one of them has not done its part; that one gives the reason. */
function readInitContainers(pod: ApiObject, summary: Summary): boolean {
  const specs = listAt(pod, 'spec', 'initContainers');
  const specOf = (status: Json) =>
    specs.find((it) => textAt(it, 'name') === textAt(status, 'name')) ?? {};
  for (const [index, status] of listAt(pod, 'status', 'initContainerStatuses').entries()) {
    countRestarts(status, summary);
    const isStarted = isSidecar(specOf(status)) && valueAt(status, 'started') === true;
    if (isStarted && valueAt(status, 'ready') === true) summary.ready += 1;
    if (isStarted || valueAt(status, 'state', 'terminated', 'exitCode') === 0) continue;
    const why = terminatedReason(status) ?? waitingReason(status, 'PodInitializing');
    summary.reason = `Init:${why ?? `${index}/${specs.length}`}`;
    return true;
  }
  return false;
}

function countRestarts(status: Json, summary: Summary): void {
  summary.restarts += Number(valueAt(status, 'restartCount') ?? 0);
  const finishedAt = textAt(status, 'lastState', 'terminated', 'finishedAt');
  if (finishedAt > summary.lastRestart) summary.lastRestart = finishedAt;
}

function terminatedReason(status: Json): string | undefined {
  const terminated = valueAt(status, 'state', 'terminated');
  if (!isJsonObject(terminated)) return undefined;
  const { reason, signal, exitCode } = terminated;
  if (typeof reason === 'string' && reason !== '') return reason;
  return signal ? `Signal:${String(signal)}` : `ExitCode:${String(exitCode ?? 0)}`;
}

function waitingReason(status: Json, but = ''): string | undefined {
  const reason = textAt(status, 'state', 'waiting', 'reason');
  return reason === '' || reason === but ? undefined : reason;
}

/** The first container that has something to say gives the reason. */
function readContainers(pod: ApiObject, summary: Summary): void {
  if (listAt(pod, 'spec', 'initContainers').every((it) => !isSidecar(it))) {
    summary.restarts = 0;
    summary.lastRestart = '';
  }
  const statuses = listAt(pod, 'status', 'containerStatuses');
  for (const status of statuses.toReversed()) {
    countRestarts(status, summary);
    summary.reason = waitingReason(status) ?? terminatedReason(status) ?? summary.reason;
  }
  summary.ready += statuses.filter(isRunning).length;
  if (summary.reason === 'Completed') summary.reason = completedReason(pod, statuses);
}

/** One container is done; the others may still run, or have failed. */
function completedReason(pod: ApiObject, statuses: readonly Json[]): string {
  const hasRunning = statuses.some(isRunning);
  if (hasRunning && conditionOf(pod, 'Ready')['status'] === 'True') return 'Running';
  const failed = statuses.find(
    (status) => Number(valueAt(status, 'state', 'terminated', 'exitCode') ?? 0) !== 0,
  );
  if (failed !== undefined) return terminatedReason(failed) ?? 'Error';
  return hasRunning ? 'NotReady' : 'Completed';
}

function isRunning(status: Json): boolean {
  return valueAt(status, 'ready') === true && isJsonObject(valueAt(status, 'state', 'running'));
}

function endingReason(pod: ApiObject): string | undefined {
  if (pod.metadata.deletionTimestamp === undefined) return undefined;
  if (textAt(pod, 'status', 'reason') === 'NodeLost') return 'Unknown';
  const isOver = ['Succeeded', 'Failed'].includes(textAt(pod, 'status', 'phase'));
  return isOver ? undefined : 'Terminating';
}

function readinessGates(pod: ApiObject): string {
  const gates = listAt(pod, 'spec', 'readinessGates').map((it) => textAt(it, 'conditionType'));
  if (gates.length === 0) return '<none>';
  const open = gates.filter((type) => conditionOf(pod, type)['status'] === 'True');
  return `${open.length}/${gates.length}`;
}
