/** A cluster on a manual clock: the API with its controllers, and somebody who plays the kubelets. */

import { inProcess } from '../api.fixture.ts';
import type { ApiObject } from '../api-object.ts';
import { type JsonObject, textAt, valueAt } from '../json.ts';
import type { ControllerSettings } from './controllers.ts';
import { Hands } from './hands.ts';

export interface ClusterOptions {
  readonly nodes?: readonly string[];
  readonly settings?: ControllerSettings;
  /** Whether pods become ready. */
  readonly isWorking?: (pod: ApiObject) => boolean;
}

export function startCluster(options: ClusterOptions = {}) {
  const { nodes = ['n1', 'n2'], settings = {}, isWorking = () => true } = options;
  const server = inProcess({ controllers: settings });
  const { core } = server.api;
  const hands = new Hands(core, 'kubelet');
  let addresses = 0;
  const run = (pod: ApiObject) => {
    if (pod.metadata.deletionTimestamp !== undefined) {
      hands.remove('pods', pod, { gracePeriodSeconds: 0 });
      return;
    }
    if (textAt(pod, 'status', 'podIP') !== '') return;
    addresses += 1;
    const podIP = `192.0.2.${addresses}`;
    const ready = { type: 'Ready', status: isWorking(pod) ? 'True' : 'False' };
    hands.writeStatus('pods', pod, {
      ...pod.status,
      phase: 'Running',
      podIP,
      podIPs: [{ ip: podIP }],
      conditions: [{ ...ready, lastProbeTime: null, lastTransitionTime: hands.timestamp }],
    });
  };
  const lookAfter = () => {
    for (const pod of hands.list('pods')) if (textAt(pod, 'spec', 'nodeName') !== '') run(pod);
  };
  core.store.collection('pods').subscribe(() => void core.clock.after(10, lookAfter));
  for (const name of nodes) addNode(server, name);
  return { ...server, hands };
}

export type Cluster = ReturnType<typeof startCluster>;

function addNode({ post }: Pick<Cluster, 'post'>, name: string): void {
  post('/api/v1/nodes', {
    metadata: { name, labels: { 'kubernetes.io/hostname': name } },
    status: { conditions: [{ type: 'Ready', status: 'True' }] },
  });
}

export const apps = '/apis/apps/v1/namespaces/default';
export const core = '/api/v1/namespaces/default';

export function workload(name: string, spec: JsonObject = {}): JsonObject {
  return {
    metadata: { name },
    spec: {
      selector: { matchLabels: { app: name } },
      template: {
        metadata: { labels: { app: name } },
        spec: {
          containers: [
            { name: 'main', image: 'web:1', ports: [{ name: 'http', containerPort: 8080 }] },
          ],
        },
      },
      ...spec,
    },
  };
}

/** `web-….: image on node`, without the made-up part of names. */
export function podsOf({ hands }: Cluster): readonly string[] {
  return hands
    .list('pods')
    .filter((pod) => pod.metadata.deletionTimestamp === undefined)
    .map((pod) => {
      const containers = valueAt(pod, 'spec', 'containers') as JsonObject[];
      const [word = ''] = (pod.metadata.name ?? '').split('-');
      return `${word} ${textAt(containers[0], 'image')} ${textAt(pod, 'spec', 'nodeName')}`;
    })
    .sort();
}

export function imageChange(image: string): JsonObject {
  const containers = [{ name: 'main', image }];
  return { spec: { template: { spec: { containers } } } };
}
