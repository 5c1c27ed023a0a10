/** A whole cluster on one machine: `await using cluster = await startCluster()`. */

import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import type { Cluster } from '../../src/kube/cluster.ts';
import { SystemClock } from '../../src/runtime/system-clock.ts';
import { onNode } from '../api/auth/authenticator.ts';
import { missingBinaries } from '../control-plane/binaries.ts';
import { writeKubeconfig } from '../control-plane/kubeconfig.ts';
import { inNamespace } from '../in-namespace.ts';
import { beatsPerLease } from '../kubelet/heartbeat.ts';
import { policyManifests } from '../manifest.ts';
import { Lab } from '../network/lab.ts';
import { planCluster, serverName } from '../network/plan-cluster.ts';
import type { RouterKind } from '../router/start-router.ts';
import { ApiDoors } from './api-doors.ts';
import { installBgp, siteRouterOptions } from './bgp-site.ts';
import {
  adminUser,
  type ClusterApi,
  type ClusterApiOptions,
  startEmbeddedApi,
  startRealApi,
} from './cluster-api.ts';
import {
  agentUser,
  allocatorUser,
  type Groups,
  installObjects,
  kubeProxyUser,
  nodeUser,
  usualGroups,
} from './installed-objects.ts';
import { LabCluster } from './lab-cluster.ts';
import { type Forwarding, NodePrograms } from './node-programs.ts';
import { podLogs } from './pod-logs.ts';
import { findWayOut, listenOutside } from './way-out.ts';

export interface ClusterOptions {
  /** Nodes on each LAN; three and two by default. */
  readonly nodes?: readonly number[];
  /** The segments of the clients; the last one is always beyond the router. */
  readonly clients?: readonly string[];
  /** A real API server with its etcd instead of the embedded one. */
  readonly isReal?: boolean;
  /** kube-proxy where it is found, else our own forwarder. */
  readonly forwarding?: Forwarding;
  readonly groups?: Groups;
  /** Starts the names of the namespaces; unique by default. */
  readonly prefix?: string;
  readonly allocators?: number;
  /** How often kubelets tell that they live. After four times as long a node is not ready. */
  readonly heartbeatMs?: number;
  readonly agentArguments?: readonly string[];
  /** The program on the router, which learns from the nodes by BGP; without, the lab tells it its routes. */
  readonly router?: RouterKind;
  readonly onProgress?: (step: Step) => void;
  /** What goes wrong in the background, and is tried again. */
  readonly onError?: (error: unknown) => void;
}

/** Something that was done on the way, and how long after the start it was finished. */
export interface Step {
  readonly what: string;
  readonly tookMs: number;
  readonly atMs: number;
}

export const apiPort = 6443;

type Settings = Required<Omit<ClusterOptions, 'router'>> & Pick<ClusterOptions, 'router'>;

function withDefaults(options: ClusterOptions): Settings {
  return {
    nodes: [3, 2],
    clients: ['outside'],
    isReal: false,
    forwarding: missingBinaries('kube-proxy') === false ? 'kube-proxy' : 'own',
    groups: usualGroups,
    prefix: '',
    allocators: 2,
    heartbeatMs: 1500,
    agentArguments: [],
    onProgress: () => {},
    onError: () => {},
    ...options,
  };
}

/** Resolves when every program runs; what they then do about Services is theirs. */
export async function startCluster(options: ClusterOptions = {}): Promise<LabCluster> {
  const settings = withDefaults(options);
  const step = stepper(settings.onProgress);
  // In the sandbox /run is memory, and gone with it.
  const folder = mkdtempSync('/run/cluster-');
  await using cleanUp = new AsyncDisposableStack();
  const [lab, api] = await Promise.all([
    step('network', raiseNetwork(options, settings)).then((made) => cleanUp.use(made)),
    step('API server', startServer(settings, folder)).then((made) => {
      cleanUp.defer(() => made.stop());
      return made;
    }),
  ]);
  const doors = cleanUp.adopt(new ApiDoors(api.port), (each) => each.close());
  const kubeconfig = await openDoors(doors, lab, api, { folder });
  const clock = new SystemClock();
  const connection = cleanUp.adopt(api.connect(clock), (each) => each.close());
  await step('definitions, roles and pools', install(connection.cluster, lab, settings));
  const programs = new NodePrograms({
    ...settings,
    folder,
    speaksBgp: settings.router !== undefined,
    kubeconfig: (user) => join(folder, `${user}.kubeconfig`),
  });
  const cluster = new LabCluster({
    ...settings,
    ...{ lab, api, doors, connection, clock, programs, folder, kubeconfig },
    bgp: settings.router && { kind: settings.router, router: siteRouterOptions(lab) },
  });
  cleanUp.move();
  try {
    await cluster.start(step);
    return cluster;
  } catch (error) {
    await cluster.stop();
    throw error;
  }
}

async function install(cluster: Cluster, lab: Lab, settings: Settings): Promise<void> {
  const { groups, router, isReal } = settings;
  // The list of tokens that a real one starts with cannot say on which node an agent is.
  await installObjects(cluster, groups, isReal ? [] : policyManifests);
  if (router !== undefined) await installBgp(cluster, lab);
}

export type Stepper = <T>(what: string, work: Promise<T>) => Promise<T>;

export function stepper(tell: (step: Step) => void): Stepper {
  const startedAt = performance.now();
  return async (what, work) => {
    const begunAt = performance.now();
    const result = await work;
    const now = performance.now();
    tell({ what, tookMs: Math.round(now - begunAt), atMs: Math.round(now - startedAt) });
    return result;
  };
}

async function raiseNetwork(options: ClusterOptions, settings: Settings): Promise<Lab> {
  const { prefix } = options;
  return Lab.build(planCluster(settings), prefix === undefined ? {} : { prefix });
}

async function startServer(
  { isReal, nodes, heartbeatMs }: Settings,
  folder: string,
): Promise<ClusterApi> {
  const count = nodes.reduce((sum, each) => sum + each, 0);
  const names = Array.from({ length: count }, (_, index) => nodeUser(`node${index + 1}`));
  const options: ClusterApiOptions = {
    hosts: serverAddresses(),
    users: {
      [agentUser]: ['system:serviceaccounts'],
      [allocatorUser]: ['system:serviceaccounts'],
      [kubeProxyUser]: [],
      ...Object.fromEntries(names.map(({ user, groups }) => [user, groups])),
    },
    nodeGraceMs: beatsPerLease * heartbeatMs,
    podLogs: podLogs((node) => join(folder, `${node}.sock`)),
  };
  return isReal ? startRealApi(options) : startEmbeddedApi(options);
}

/** They are the same in every lab. */
export function serverAddresses(): readonly string[] {
  const server = planCluster({ nodes: [1] }).hosts.find(({ name }) => name === serverName);
  return server?.nics.flatMap(({ addresses }) => addresses.map(({ ip }) => ip)) ?? [];
}

/** To the lab's hosts, to the sandbox and, where there is a way, to the world outside; and the files that lead there. */
export async function openDoors(
  doors: ApiDoors,
  lab: Lab,
  api: ClusterApi,
  { folder, port = apiPort }: { readonly folder: string; readonly port?: number },
): Promise<string> {
  const wayOut = findWayOut();
  const server = lab.host(serverName);
  await doors.open((door) => inNamespace(server.namespace, () => door.listen(port)));
  const write = (file: string, user: string, url: string, token = api.token(user)) => {
    const credentials = { token };
    return writeKubeconfig(file, { url, ca: api.ca, user, credentials });
  };
  const inLab = `https://${server.ipv4}:${port}`;
  const users = {
    allocator: allocatorUser,
    'kube-proxy': kubeProxyUser,
    lab: adminUser,
    ...Object.fromEntries(lab.nodes.map(({ name }) => [`node:${name}`, nodeUser(name).user])),
  };
  for (const [name, user] of Object.entries(users))
    write(join(folder, `${name}.kubeconfig`), user, inLab);
  for (const { name } of lab.nodes) {
    const token = api.embedded?.token(agentUser, [], onNode(name));
    write(join(folder, `agent:${name}.kubeconfig`), agentUser, inLab, token);
  }
  if (wayOut !== undefined) await doors.open(listenOutside);
  // The same port on both sides, so that one file leads there from either.
  const near = await doors.open((door) => door.listen(wayOut?.port ?? 0, '127.0.0.1'));
  const file = join(wayOut?.folder ?? folder, 'kubeconfig');
  return write(file, adminUser, `https://127.0.0.1:${near}`);
}
