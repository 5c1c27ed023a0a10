/** Which taints of a node the pods of a DaemonSet put up with. */

import type { Taint } from './cluster-node.ts';
import { type Cursor, read } from './cursor.ts';
import type { KubeObject } from './kube-object.ts';
import { isProblem } from './parsed.ts';

export interface Toleration {
  /** Empty: any, where the operator is `Exists`. */
  readonly key: string;
  readonly operator: 'Exists' | 'Equal';
  readonly value: string;
  /** Empty: any. */
  readonly effect: string;
  /** Only for a while: the pod has to go in the end. */
  readonly isLimited: boolean;
}

/** Of the pods that a DaemonSet makes; what cannot be read tolerates nothing. */
export function readTolerations(daemonSet: KubeObject): readonly Toleration[] {
  const reading = read(daemonSet, (root) => {
    const { spec } = root.lenient().fields('spec');
    const { template } = spec.fields('template');
    const pod = template.fields('spec').spec;
    return pod.fields('tolerations').tolerations.items().map(readToleration);
  });
  return isProblem(reading) ? [] : reading.value;
}

function readToleration(cursor: Cursor): Toleration {
  const at = cursor.fields('key', 'operator', 'value', 'effect', 'tolerationSeconds');
  return {
    key: at.key.string() ?? '',
    operator: at.operator.string() === 'Exists' ? 'Exists' : 'Equal',
    value: at.value.string() ?? '',
    effect: at.effect.string() ?? '',
    isLimited: at.tolerationSeconds.isPresent,
  };
}

/**
 * Kubernetes lets the pods of every DaemonSet tolerate what befalls a node (the DaemonSet controller adds these), so
 * they are no reason to leave it. Of the others an effect of `NoExecute` is somebody's decision.
 */
const usualTaints: Readonly<Record<string, readonly string[]>> = {
  'node.kubernetes.io/not-ready': ['NoSchedule', 'NoExecute'],
  'node.kubernetes.io/unreachable': ['NoSchedule', 'NoExecute'],
  'node.kubernetes.io/disk-pressure': ['NoSchedule'],
  'node.kubernetes.io/memory-pressure': ['NoSchedule'],
  'node.kubernetes.io/pid-pressure': ['NoSchedule'],
  'node.kubernetes.io/unschedulable': ['NoSchedule'],
  'node.kubernetes.io/network-unavailable': ['NoSchedule'],
};

export function isTolerated(taint: Taint, tolerations: readonly Toleration[]): boolean {
  if (taint.effect === 'PreferNoSchedule') return true;
  if (usualTaints[taint.key]?.includes(taint.effect)) return true;
  return tolerations.some(({ key, operator, value, effect, isLimited }) => {
    const isOfEffect = effect === '' || effect === taint.effect;
    const isAny = operator === 'Exists' && key === '';
    const isOfKey = key === taint.key && (operator === 'Exists' || value === taint.value);
    const lasts = taint.effect !== 'NoExecute' || !isLimited;
    return isOfEffect && lasts && (isAny || isOfKey);
  });
}
