/** What a kubelet says about its node. */

import type { KubeObject } from '../../src/model/kube-object.ts';
import { timeText } from './container-reading.ts';

export interface NodeFacts {
  readonly name: string;
  readonly ips: readonly string[];
  readonly podCidrs: readonly string[];
  readonly labels: Readonly<Record<string, string>>;
}

export function nodeObject({ name, podCidrs, labels }: NodeFacts): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name,
      labels: {
        'kubernetes.io/hostname': name,
        'kubernetes.io/os': 'linux',
        'kubernetes.io/arch': process.arch === 'x64' ? 'amd64' : process.arch,
        ...labels,
      },
    },
    spec: { podCIDR: podCidrs[0], podCIDRs: podCidrs },
  };
}

export interface NodeCondition {
  readonly type: string;
  readonly status: string;
  readonly lastTransitionTime?: string;
}

/** The whole status: whatever a controller wrote about a silent kubelet is over. */
export function nodeStatus(
  { name, ips }: NodeFacts,
  before: readonly NodeCondition[],
  now: number,
): object {
  const capacity = { cpu: '2', memory: '4Gi', pods: '249' };
  return {
    addresses: [
      ...ips.map((address) => ({ type: 'InternalIP', address })),
      { type: 'Hostname', address: name },
    ],
    capacity,
    allocatable: capacity,
    conditions: conditionsOf(before, now),
    nodeInfo: {
      kubeletVersion: 'v1.36.0-lab',
      osImage: 'PureLB lab',
      kernelVersion: '',
      containerRuntimeVersion: 'lab://1',
      operatingSystem: 'linux',
      architecture: process.arch === 'x64' ? 'amd64' : process.arch,
      bootID: '',
      machineID: '',
      systemUUID: '',
      kubeProxyVersion: '',
    },
  };
}

export function isReady(conditions: readonly NodeCondition[]): boolean {
  return conditions.some(({ type, status }) => type === 'Ready' && status === 'True');
}

function conditionsOf(before: readonly NodeCondition[], now: number): readonly object[] {
  const good: readonly (readonly [string, string, string, string])[] = [
    ['MemoryPressure', 'False', 'KubeletHasSufficientMemory', 'there is enough memory'],
    ['DiskPressure', 'False', 'KubeletHasNoDiskPressure', 'nothing is written to a disk'],
    ['PIDPressure', 'False', 'KubeletHasSufficientPID', 'there are enough process ids'],
    ['Ready', 'True', 'KubeletReady', 'the kubelet of the lab is posting ready status'],
  ];
  return good.map(([type, status, reason, message]) => {
    const known = before.find((each) => each.type === type && each.status === status);
    const lastTransitionTime = known?.lastTransitionTime ?? timeText(now);
    return { type, status, reason, message, lastTransitionTime, lastHeartbeatTime: timeText(now) };
  });
}
