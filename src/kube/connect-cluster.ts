import type { Clock } from '../runtime/clock.ts';
import type { ApiServerConfig } from './api-server-config.ts';
import { HttpCluster } from './http-cluster.ts';
import { HttpsTransport } from './https-transport.ts';

export interface ClusterConnection {
  readonly cluster: HttpCluster;
  /** Ends all connections; calls and watches under way fail. */
  close(): void;
}

/** Nothing is sent yet: whether the server is there shows with the first call. */
export function connectCluster(
  config: ApiServerConfig,
  clock: Clock,
  userAgent = 'purelb',
): ClusterConnection {
  const transport = new HttpsTransport(config, clock);
  const cluster = new HttpCluster({ transport, clock, userAgent });
  return { cluster, close: () => transport.close() };
}
