/** The API server of a cluster: the embedded one, or a real one, behind the same few words. */

import { type ClusterConnection, connectCluster } from '../../src/kube/connect-cluster.ts';
import type { Clock } from '../../src/runtime/clock.ts';
import { type RunningApi, startApi } from '../api/start-api.ts';
import type { PodLogs } from '../api/subresources/pod-logs.ts';
import { startControlPlane } from '../control-plane/control-plane.ts';

export interface ClusterApi {
  /** On the sandbox's own loopback. */
  readonly port: number;
  /** In PEM. */
  readonly ca: string;
  /** The embedded server itself, with its faults and its audit; undefined for the real one. */
  readonly embedded: RunningApi | undefined;
  /** Of one of the users named at the start. */
  token(user: string): string;
  /** As the administrator, whatever is done to the ways that others take. */
  connect(clock: Clock): ClusterConnection;
  stop(): Promise<void>;
}

export interface ClusterApiOptions {
  /** Names and addresses under which it is reached. */
  readonly hosts: readonly string[];
  readonly users: Readonly<Record<string, readonly string[]>>;
  readonly podLogs: PodLogs;
}

export const adminUser = 'admin';

export async function startEmbeddedApi(options: ClusterApiOptions): Promise<ClusterApi> {
  const { hosts, users, podLogs } = options;
  const api = await startApi({ rbac: true, tls: { hosts }, podLogs });
  const tokens = new Map<string, string>([[adminUser, api.adminToken]]);
  for (const [user, groups] of Object.entries(users)) tokens.set(user, api.token(user, groups));
  return describe(api.url, api.ca ?? '', {
    embedded: api,
    token: (user) => tokens.get(user) ?? '',
    stop: () => api.stop(),
  });
}

export async function startRealApi({ hosts, users }: ClusterApiOptions): Promise<ClusterApi> {
  const api = await startControlPlane({ authorization: 'rbac', users, hosts });
  return describe(api.url, api.ca, {
    embedded: undefined,
    token: (user) => api.token(user),
    stop: () => api.stop(),
  });
}

function describe(
  url: string,
  ca: string,
  rest: Pick<ClusterApi, 'embedded' | 'token' | 'stop'>,
): ClusterApi {
  return {
    port: Number(new URL(url).port),
    ca,
    ...rest,
    connect: (clock) => {
      const token = { text: rest.token(adminUser) };
      return connectCluster({ server: url, ca: { text: ca }, token }, clock, 'lab');
    },
  };
}
