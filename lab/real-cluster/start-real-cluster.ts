/** A cluster of real kubelets, containerd and kube-proxies: `await using cluster = await startRealCluster()`. */

import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ImageWish } from '../../scripts/image-archive.ts';
import { SystemClock } from '../../src/runtime/system-clock.ts';
import { ApiDoors } from '../cluster/api-doors.ts';
import { agentUser, allocatorUser, kubeProxyUser, nodeUser } from '../cluster/installed-objects.ts';
import { LabCluster } from '../cluster/lab-cluster.ts';
import { openDoors, type Step, serverAddresses, stepper } from '../cluster/start-cluster.ts';
import { Lab } from '../network/lab.ts';
import { planCluster } from '../network/plan-cluster.ts';
import { type FullApi, startFullApi } from './full-api.ts';
import { connectKubelets } from './kubelet-cable.ts';
import { packLabImages } from './lab-images.ts';
import { leaseSeconds } from './node-files.ts';
import { RealPrograms } from './real-programs.ts';
import { missingRealCluster } from './set-up.ts';

export interface RealClusterOptions {
  /** Nodes on each LAN; three on one by default. */
  readonly nodes?: readonly number[];
  /** The segments of the clients; the last one is always beyond the router. */
  readonly clients?: readonly string[];
  readonly prefix?: string;
  /** Nodes tell their IPv4 addresses alone; what runs on them may have both. */
  readonly isIPv4Only?: boolean;
  /** Images that nodes have beside the lab's own. */
  readonly images?: readonly ImageWish[];
  readonly onProgress?: (step: Step) => void;
  readonly onError?: (error: unknown) => void;
}

export interface RealCluster {
  readonly cluster: LabCluster;
  readonly api: FullApi;
  readonly programs: RealPrograms;
}

/** Resolves when all nodes are ready; nothing is deployed on it. */
export async function startRealCluster(options: RealClusterOptions = {}): Promise<RealCluster> {
  const obstacle = missingRealCluster();
  if (obstacle !== false) throw new Error(obstacle);
  const { nodes = [3], clients = ['lan1', 'outside'], onError = () => {} } = options;
  const step = stepper(options.onProgress ?? (() => {}));
  const folder = mkdtempSync('/run/cluster-');
  await using cleanUp = new AsyncDisposableStack();
  const images = step('images', writeImages(folder, options.images));
  images.catch(() => {});
  const { prefix } = options;
  const plan = planCluster({ nodes, clients });
  const [lab, api] = await Promise.all([
    step('network', Lab.build(plan, prefix === undefined ? {} : { prefix })).then((made) =>
      cleanUp.use(made),
    ),
    step('API server', startServer(nodes)).then((made) => {
      cleanUp.defer(() => made.stop());
      return made;
    }),
  ]);
  const doors = cleanUp.adopt(new ApiDoors(api.port), (each) => each.close());
  const kubeconfig = await openDoors(doors, lab, api, { folder, port: api.port });
  await connectKubelets(lab);
  const clock = new SystemClock();
  const connection = cleanUp.adopt(api.connect(clock), (each) => each.close());
  const programs = new RealPrograms({
    folder,
    images,
    isIPv4Only: options.isIPv4Only,
    kubeconfig: (user) => join(folder, `${user}.kubeconfig`),
    cluster: connection.cluster,
    caFile: api.server.files.ca,
  });
  const cluster = new LabCluster({
    ...{ lab, api, doors, connection, clock, programs, folder, kubeconfig, onError },
    forwarding: 'kube-proxy',
    allocators: 0,
  });
  cleanUp.move();
  try {
    await cluster.start(step);
    return { cluster, api, programs };
  } catch (error) {
    await cluster.stop();
    throw error;
  }
}

async function writeImages(
  folder: string,
  others: readonly ImageWish[] | undefined,
): Promise<string> {
  const file = join(folder, 'images.tar');
  writeFileSync(file, await packLabImages(others));
  return file;
}

async function startServer(nodes: readonly number[]): Promise<FullApi> {
  const count = nodes.reduce((sum, each) => sum + each, 0);
  const kubelets = Array.from({ length: count }, (_, index) => nodeUser(`node${index + 1}`));
  const hosts = serverAddresses();
  return startFullApi({
    address: hosts[0] ?? '',
    hosts: [...hosts, '10.96.0.1', 'fd00:96::1', 'kubernetes', 'kubernetes.default'],
    nodeGraceMs: leaseSeconds * 1000,
    users: {
      [agentUser]: ['system:serviceaccounts'],
      [allocatorUser]: ['system:serviceaccounts'],
      [kubeProxyUser]: [],
      ...Object.fromEntries(kubelets.map(({ user, groups }) => [user, groups])),
    },
  });
}
