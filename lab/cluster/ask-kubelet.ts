import { request } from 'node:http';
import type { RunningPod } from '../kubelet/kubelet-server.ts';

const patienceMs = 5000;

/** The pods of a kubelet; none if it does not answer. */
export async function askKubelet(socketPath: string): Promise<readonly RunningPod[]> {
  return new Promise((resolve) => {
    const asked = request({ socketPath, path: '/pods', timeout: patienceMs });
    asked.on('timeout', () => asked.destroy()).on('error', () => resolve([]));
    asked.on('response', (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => {
        resolve(JSON.parse(Buffer.concat(chunks).toString('utf8')) as readonly RunningPod[]);
      });
    });
    asked.end();
  });
}
