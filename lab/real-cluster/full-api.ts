/** The control plane of a real cluster: with service accounts, all controllers and a scheduler. */

import { join } from 'node:path';
import { connectCluster } from '../../src/kube/connect-cluster.ts';
import type { Clock } from '../../src/runtime/clock.ts';
import { adminUser, type ClusterApi } from '../cluster/cluster-api.ts';
import { startControllerManager } from '../cluster/real-controllers.ts';
import { binaryPath } from '../control-plane/binaries.ts';
import { type ControlPlane, startControlPlane } from '../control-plane/control-plane.ts';
import { Daemon } from '../control-plane/daemon.ts';

export interface FullApiOptions {
  /** Where the nodes reach it, on the port that it has itself. */
  readonly address: string;
  readonly hosts: readonly string[];
  readonly users: Readonly<Record<string, readonly string[]>>;
  /** A node that was silent for so long is not ready. */
  readonly nodeGraceMs: number;
}

const schedulerUser = 'system:kube-scheduler';

export interface FullApi extends ClusterApi {
  readonly server: ControlPlane;
}

export async function startFullApi(options: FullApiOptions): Promise<FullApi> {
  const { address, hosts, nodeGraceMs } = options;
  const users = { ...options.users, [schedulerUser]: [] };
  const server = await startControlPlane({
    authorization: 'rbac',
    users,
    hosts,
    auditLog: true,
    reachedByKubeletsAt: address,
  });
  return {
    server,
    port: Number(new URL(server.url).port),
    ca: server.ca,
    embedded: undefined,
    token: (user) => server.token(user),
    control: (_, signal) => control(server, nodeGraceMs, signal),
    connect: (clock: Clock) => {
      const token = { text: server.token(adminUser) };
      return connectCluster({ server: server.url, ca: { text: server.ca }, token }, clock, 'lab');
    },
    stop: () => server.stop(),
  };
}

/** Controllers and scheduler, until the signal is aborted. */
async function control(server: ControlPlane, nodeGraceMs: number, signal: AbortSignal) {
  const { dir: folder, files } = server;
  const kubeconfig = server.kubeconfig(join(folder, 'controllers.kubeconfig'));
  const whole = { caFile: files.ca, signingKeyFile: files.signingKey };
  const manager = await startControllerManager({ kubeconfig, folder, nodeGraceMs, whole });
  const file = server.kubeconfig(join(folder, 'scheduler.kubeconfig'), schedulerUser);
  const flags = [`--kubeconfig=${file}`, '--leader-elect=false', '--secure-port=0'];
  const logFile = join(folder, 'kube-scheduler.log');
  const scheduler = await Daemon.start([binaryPath('kube-scheduler'), ...flags], { logFile });
  await new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
  await Promise.all([manager.kill(), scheduler.kill()]);
}
