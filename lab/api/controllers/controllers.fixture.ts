/** A cluster on a manual clock: the API with its controllers, and somebody who plays the kubelets. */

import { inProcess } from '../api.fixture.ts';
import type { ApiObject } from '../api-object.ts';
import { type JsonObject, textAt, valueAt } from '../json.ts';
import type { ControllerSettings } from './controllers.ts';
import { playKubelets } from './kubelets.fixture.ts';

export interface ClusterOptions {
  readonly nodes?: readonly string[];
  readonly settings?: ControllerSettings;
  /** Whether pods become ready. */
  readonly isWorking?: (pod: ApiObject) => boolean;
}

export function startCluster(options: ClusterOptions = {}) {
  const { nodes = ['n1', 'n2'], settings = {}, isWorking = () => true } = options;
  const server = inProcess({ controllers: settings });
  const hands = playKubelets(server.api.core, isWorking);
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
