import type { ApiObject } from '../api-object.ts';
import { textAt } from '../json.ts';
import { conditionOf } from '../tables/pod-row.ts';

export function isReady(object: ApiObject): boolean {
  return conditionOf(object, 'Ready')['status'] === 'True';
}

/** It has run to its end, well or not. */
export function isOver(pod: ApiObject): boolean {
  return ['Succeeded', 'Failed'].includes(textAt(pod, 'status', 'phase'));
}

export function isActive(pod: ApiObject): boolean {
  return !isOver(pod) && pod.metadata.deletionTimestamp === undefined;
}

/** Milliseconds until a ready pod counts as available; 0 when it does, undefined while it is not ready. */
export function availableIn(
  pod: ApiObject,
  minReadySeconds: number,
  now: number,
): number | undefined {
  if (!isReady(pod)) return undefined;
  if (minReadySeconds === 0) return 0;
  const since = Date.parse(String(conditionOf(pod, 'Ready')['lastTransitionTime']));
  return Math.max(0, (Number.isNaN(since) ? now : since) + minReadySeconds * 1000 - now);
}
