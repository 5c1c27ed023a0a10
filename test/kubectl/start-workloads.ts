/** The embedded API server with controllers, two nodes, and somebody who plays their kubelets. */

import type { ChunkStream } from '../../lab/api/api-request.ts';
import { playKubelets } from '../../lab/api/controllers/kubelets.fixture.ts';
import { startApi } from '../../lab/api/start-api.ts';
import type { PodLogs } from '../../lab/api/subresources/pod-logs.ts';
import type { KubectlServer } from './kubectl.contract.ts';

const lines = ['first line', 'second line'];

const podLogs: PodLogs = ({ tailLines = lines.length, isFollowed }): ChunkStream => {
  return (sink) => {
    for (const line of lines.slice(lines.length - tailLines)) sink.write(`${line}\n`);
    if (!isFollowed) sink.end();
    return () => {};
  };
};

export async function startWorkloads(): Promise<KubectlServer> {
  const api = await startApi({ tls: true, rbac: true, controllers: true, podLogs });
  const hands = playKubelets(api.api.core, () => true);
  for (const name of ['node-1', 'node-2']) {
    hands.create('nodes', '', {
      metadata: { name },
      status: { conditions: [{ type: 'Ready', status: 'True' }] },
    });
  }
  return { kubeconfig: (path) => api.kubeconfig(path), stop: () => api.stop() };
}
