import type { KubeObject } from '../../src/model/kube-object.ts';
import { isReady, type NodeCondition } from '../kubelet/node-object.ts';

export interface Binding {
  readonly pod: KubeObject;
  readonly node: string;
}

interface PodSpec {
  readonly nodeName?: string;
  readonly nodeSelector?: Readonly<Record<string, string>>;
}

/** Each waiting pod goes to the open node with the fewest pods. */
export function planBindings(
  pods: readonly KubeObject[],
  nodes: readonly KubeObject[],
): readonly Binding[] {
  const open = nodes.filter(isOpen);
  const load = new Map(open.map(({ metadata }) => [metadata.name, 0]));
  for (const { nodeName = '' } of pods.map(specOf))
    if (load.has(nodeName)) load.set(nodeName, (load.get(nodeName) ?? 0) + 1);
  return pods.filter(isWaiting).flatMap((pod) => {
    const fitting = open
      .filter((node) => isSelected(pod, node))
      .map(({ metadata }) => metadata.name);
    const node = fitting.toSorted(
      (left, right) => (load.get(left) ?? 0) - (load.get(right) ?? 0),
    )[0];
    if (node === undefined) return [];
    load.set(node, (load.get(node) ?? 0) + 1);
    return [{ pod, node }];
  });
}

function specOf({ spec }: KubeObject): PodSpec {
  return (spec ?? {}) as PodSpec;
}

function isWaiting(pod: KubeObject): boolean {
  return !specOf(pod).nodeName && pod.metadata.deletionTimestamp === undefined;
}

function isSelected(pod: KubeObject, { metadata }: KubeObject): boolean {
  const wanted = Object.entries(specOf(pod).nodeSelector ?? {});
  return wanted.every(([label, value]) => metadata.labels?.[label] === value);
}

function isOpen({ spec, status }: KubeObject): boolean {
  const { unschedulable = false, taints = [] } = (spec ?? {}) as {
    unschedulable?: boolean;
    taints?: readonly { readonly effect: string }[];
  };
  const { conditions = [] } = (status ?? {}) as { conditions?: readonly NodeCondition[] };
  const isTainted = taints.some(({ effect }) => effect !== 'PreferNoSchedule');
  return !unschedulable && !isTainted && isReady(conditions);
}
