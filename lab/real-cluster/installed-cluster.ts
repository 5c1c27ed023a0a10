import type { LabCluster } from '../cluster/lab-cluster.ts';
import { installPureLB } from './install.ts';
import { type RealClusterOptions, startRealCluster } from './start-real-cluster.ts';

/** A real cluster of the same shape as `startCluster` makes, with PureLB and the same pools on it. */
export async function startInstalledCluster(options: RealClusterOptions): Promise<LabCluster> {
  const startedAt = performance.now();
  const real = await startRealCluster({ nodes: [3, 2], clients: ['outside'], ...options });
  const begunAt = performance.now();
  try {
    await installPureLB(real);
  } catch (error) {
    await real.cluster.stop();
    throw error;
  }
  const now = performance.now();
  options.onProgress?.({
    what: 'PureLB, by kubectl apply -k deploy',
    tookMs: Math.round(now - begunAt),
    atMs: Math.round(now - startedAt),
  });
  return real.cluster;
}
