/** What tests of a cluster ask and wait for. */

import assert from 'node:assert/strict';
import { pods, services } from '../../src/kube/resources.ts';
import type { KubeObject } from '../../src/model/kube-object.ts';
import { eventually } from '../eventually.ts';
import { askWeb, type WebAnswer } from './ask.ts';
import type { LabCluster } from './lab-cluster.ts';
import { addressesOf } from './workload.ts';

/** The machine may have other things to do. */
export const patience = { withinMs: 60_000, everyMs: 100 };

/** The Service's addresses, IPv4 first, once it has so many. */
export async function givenAddresses(
  cluster: LabCluster,
  name: string,
  count = 2,
): Promise<readonly string[]> {
  return eventually(async () => {
    const service = await cluster.cluster.get(services, { namespace: 'default', name });
    const ips = addressesOf(service);
    assert.equal(ips.length, count, `${name} has ${JSON.stringify(service.status)}`);
    return ips.toSorted((left, right) => Number(left.includes(':')) - Number(right.includes(':')));
  }, patience);
}

export async function webAnswer(entry: readonly string[], ip: string): Promise<WebAnswer> {
  return eventually(async () => {
    const answer = await askWeb(entry, ip);
    assert.ok(typeof answer === 'object', `${ip}: ${JSON.stringify(answer)}`);
    return answer;
  }, patience);
}

export async function allPods(cluster: LabCluster): Promise<readonly KubeObject[]> {
  const found: KubeObject[] = [];
  for await (const { items } of cluster.cluster.list(pods)) found.push(...items);
  return found;
}

export interface PodStatus {
  readonly phase?: string;
  readonly podIPs?: readonly { readonly ip: string }[];
  readonly conditions?: readonly { readonly type: string; readonly status: string }[];
  readonly containerStatuses?: readonly {
    readonly ready: boolean;
    readonly restartCount: number;
    readonly state: {
      readonly waiting?: { readonly reason: string; readonly message?: string };
      readonly running?: object;
      readonly terminated?: { readonly exitCode: number };
    };
  }[];
}

export function isPodReady({ status }: KubeObject): boolean {
  const { conditions = [] } = (status ?? {}) as PodStatus;
  return conditions.some((each) => each.type === 'Ready' && each.status === 'True');
}

function describePod({ metadata, spec, status }: KubeObject): string {
  const { nodeName = 'nowhere' } = spec as { nodeName?: string };
  const { phase = '', conditions = [] } = (status ?? {}) as PodStatus;
  const ready = conditions.find(({ type }) => type === 'Ready')?.status ?? '';
  return `${metadata.name} on ${nodeName} is ${phase}, ready ${ready}`;
}

/** Waits until so many pods of an app are ready, on whichever nodes. */
export async function readyPods(
  cluster: LabCluster,
  app: string,
  count: number,
): Promise<readonly KubeObject[]> {
  return eventually(async () => {
    const own = (await allPods(cluster)).filter(({ metadata }) => metadata.labels?.['app'] === app);
    const ready = own.filter(isPodReady);
    assert.equal(ready.length, count, own.map(describePod).join(', '));
    return ready;
  }, patience);
}
