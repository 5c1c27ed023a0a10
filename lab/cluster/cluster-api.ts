/** The API server of a cluster: the embedded one, or a real one, behind the same few words. */

import { join } from 'node:path';
import { type ClusterConnection, connectCluster } from '../../src/kube/connect-cluster.ts';
import type { Clock } from '../../src/runtime/clock.ts';
import { type RunningApi, startApi } from '../api/start-api.ts';
import type { PodLogs } from '../api/subresources/pod-logs.ts';
import { missingBinaries } from '../control-plane/binaries.ts';
import { startControlPlane } from '../control-plane/control-plane.ts';
import { runScheduler, type SchedulerOptions, startControllerManager } from './real-controllers.ts';

export interface ClusterApi {
  /** On the sandbox's own loopback. */
  readonly port: number;
  /** In PEM. */
  readonly ca: string;
  /** The embedded server itself, with its faults and its audit; undefined for the real one. */
  readonly embedded: RunningApi | undefined;
  /** Of one of the users named at the start. */
  token(user: string): string;
  /** The controllers that a cluster has; resolves when they have stopped after the signal. */
  control(options: SchedulerOptions, signal: AbortSignal): Promise<void>;
  /** As the administrator, whatever is done to the ways that others take. */
  connect(clock: Clock): ClusterConnection;
  stop(): Promise<void>;
}

export interface ClusterApiOptions {
  /** Names and addresses under which it is reached. */
  readonly hosts: readonly string[];
  readonly users: Readonly<Record<string, readonly string[]>>;
  readonly podLogs: PodLogs;
  /** A node that was silent for so long is not ready. */
  readonly nodeGraceMs: number;
}

export const adminUser = 'admin';

export async function startEmbeddedApi(options: ClusterApiOptions): Promise<ClusterApi> {
  const { hosts, users, podLogs, nodeGraceMs } = options;
  const controllers = { nodeGraceSeconds: nodeGraceMs / 1000 };
  const api = await startApi({ rbac: true, tls: { hosts }, podLogs, controllers });
  const tokens = new Map<string, string>([[adminUser, api.adminToken]]);
  for (const [user, groups] of Object.entries(users)) tokens.set(user, api.token(user, groups));
  return describe(api.url, api.ca ?? '', {
    embedded: api,
    token: (user) => tokens.get(user) ?? '',
    // They are part of it.
    control: async () => {},
    stop: () => api.stop(),
  });
}

/** Without the controller manager, where that is not found, nobody makes pods of Deployments. */
export async function startRealApi(options: ClusterApiOptions): Promise<ClusterApi> {
  const { hosts, users, nodeGraceMs } = options;
  const api = await startControlPlane({ authorization: 'rbac', users, hosts });
  return describe(api.url, api.ca, {
    embedded: undefined,
    token: (user) => api.token(user),
    control: async (scheduling, signal) => {
      const folder = api.dir;
      const kubeconfig = api.kubeconfig(join(folder, 'controllers.kubeconfig'));
      const isFound = missingBinaries('kube-controller-manager') === false;
      const manager = isFound
        ? await startControllerManager({ kubeconfig, folder, nodeGraceMs })
        : undefined;
      await runScheduler(scheduling, signal);
      await manager?.kill();
    },
    stop: () => api.stop(),
  });
}

function describe(
  url: string,
  ca: string,
  rest: Pick<ClusterApi, 'embedded' | 'token' | 'control' | 'stop'>,
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
