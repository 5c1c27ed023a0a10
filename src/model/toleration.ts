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
  const at = cursor.fields('key', 'operator', 'value', 'effect');
  return {
    key: at.key.string() ?? '',
    operator: at.operator.string() === 'Exists' ? 'Exists' : 'Equal',
    value: at.value.string() ?? '',
    effect: at.effect.string() ?? '',
  };
}

/** Kubernetes lets the pods of every DaemonSet put up with what befalls a node: these are not reasons to leave it. */
const usualTaints: ReadonlySet<string> = new Set(
  ['not-ready', 'unreachable', 'disk-pressure', 'memory-pressure', 'pid-pressure']
    .concat('unschedulable', 'network-unavailable')
    .map((name) => `node.kubernetes.io/${name}`),
);

export function isTolerated(taint: Taint, tolerations: readonly Toleration[]): boolean {
  if (taint.effect === 'PreferNoSchedule' || usualTaints.has(taint.key)) return true;
  return tolerations.some(({ key, operator, value, effect }) => {
    const isOfEffect = effect === '' || effect === taint.effect;
    const isAny = operator === 'Exists' && key === '';
    const isOfKey = key === taint.key && (operator === 'Exists' || value === taint.value);
    return isOfEffect && (isAny || isOfKey);
  });
}
