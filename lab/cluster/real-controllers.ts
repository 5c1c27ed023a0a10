/** What acts beside a real API server: its own controller manager, and a scheduler of ours that is small. */

import { join } from 'node:path';
import type { Cluster } from '../../src/kube/cluster.ts';
import { Reflector } from '../../src/kube/reflector.ts';
import type { Resource } from '../../src/kube/resource.ts';
import { nodes, pods } from '../../src/kube/resources.ts';
import { Store } from '../../src/kube/store.ts';
import type { KubeObject } from '../../src/model/kube-object.ts';
import type { Clock } from '../../src/runtime/clock.ts';
import { Reconciler } from '../../src/runtime/reconciler.ts';
import { binaryPath } from '../control-plane/binaries.ts';
import { Daemon } from '../control-plane/daemon.ts';
import { planBindings } from './plan-bindings.ts';

export interface ControllerManagerOptions {
  readonly kubeconfig: string;
  readonly folder: string;
  readonly nodeGraceMs: number;
  /** All of them, with what service accounts take, instead of those that the lab's own kubelets make use of. */
  readonly whole?: { readonly caFile: string; readonly signingKeyFile: string };
}

const controllers = [
  'deployment-controller',
  'replicaset-controller',
  'daemonset-controller',
  'endpointslice-controller',
  'node-lifecycle-controller',
  'taint-eviction-controller',
  'garbage-collector-controller',
  'pod-garbage-collector-controller',
  'serviceaccount-controller',
  'namespace-controller',
];

export async function startControllerManager(options: ControllerManagerOptions): Promise<Daemon> {
  const { kubeconfig, folder, nodeGraceMs, whole } = options;
  const accounts =
    whole === undefined
      ? []
      : [
          `--root-ca-file=${whole.caFile}`,
          `--service-account-private-key-file=${whole.signingKeyFile}`,
        ];
  const flags = [
    `--kubeconfig=${kubeconfig}`,
    `--controllers=${whole === undefined ? controllers.join(',') : '*'}`,
    ...accounts,
    '--leader-elect=false',
    '--secure-port=0',
    '--node-monitor-period=500ms',
    `--node-monitor-grace-period=${nodeGraceMs}ms`,
  ];
  const logFile = join(folder, 'kube-controller-manager.log');
  return Daemon.start([binaryPath('kube-controller-manager'), ...flags], { logFile });
}

/** The subresource by which a pod gets its node. */
const bindings: Resource = {
  group: '',
  version: 'v1',
  plural: 'bindings',
  kind: 'Binding',
  isNamespaced: true,
};

export interface SchedulerOptions {
  readonly cluster: Cluster;
  readonly clock: Clock;
  readonly random: () => number;
  readonly onError: (error: unknown) => void;
}

/** Gives waiting pods their nodes, until the signal is aborted. */
export async function runScheduler(options: SchedulerOptions, signal: AbortSignal): Promise<void> {
  const { cluster, clock, random, onError } = options;
  const known = { nodes: new Store(), pods: new Store() };
  const reflectors = [
    new Reflector({ cluster, clock, random, resource: nodes, store: known.nodes }),
    new Reflector({ cluster, clock, random, resource: pods, store: known.pods }),
  ];
  // The watch tells of a binding a moment after it was made.
  const bound = new Set<string>();
  const isNew = ({ metadata }: KubeObject) => !bound.has(metadata.uid ?? '');
  const reconciler = new Reconciler<'pods'>({
    clock,
    random,
    onError: ({ error }) => onError(error),
    reconcile: async () => {
      const waiting = [...known.pods.values()].filter(isNew);
      for (const { pod, node } of planBindings(waiting, [...known.nodes.values()])) {
        const { namespace = 'default', name, uid = '' } = pod.metadata;
        const target = { apiVersion: 'v1', kind: 'Node', name: node };
        await cluster.create(bindings, { metadata: { name, namespace }, target }, { signal });
        bound.add(uid);
      }
      return {};
    },
  });
  const wake = () => reconciler.wake('pods');
  for (const store of Object.values(known)) store.subscribe(wake);
  await Promise.all(reflectors.map((reflector) => reflector.run(signal)));
  await reconciler.stop();
}
