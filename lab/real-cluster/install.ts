/** Puts PureLB on a real cluster the way an administrator does: kubectl and the manifests of `deploy`, as they are. */

import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import type { KubeObject } from '../../src/model/kube-object.ts';
import { type Groups, installNamespace, usualGroups } from '../cluster/installed-objects.ts';
import { binaryPath } from '../control-plane/binaries.ts';
import { run } from '../process/run.ts';
import type { RealCluster } from './start-real-cluster.ts';

const root = join(import.meta.dirname, '../..');
const patience = '--timeout=120s';

export type Kubectl = (...args: readonly string[]) => Promise<string>;

/** Runs kubectl as the administrator, in the folder of the project, and resolves to what it prints. */
export function kubectlOf(kubeconfig: string, input = ''): Kubectl {
  // Where kubectl remembers what it has discovered; gone with the sandbox.
  home ??= mkdtempSync('/run/kubectl-');
  const env = { HOME: home };
  const command = [binaryPath('kubectl'), '--kubeconfig', kubeconfig];
  return async (...args) => {
    const argv = ['env', '-C', root, ...command, ...args];
    return (await run(argv, { env, input, timeoutMs: 150_000 })).stdout;
  };
}

let home: string | undefined;

export async function applyObjects(
  kubeconfig: string,
  items: readonly KubeObject[],
): Promise<void> {
  const list = JSON.stringify({ apiVersion: 'v1', kind: 'List', items });
  await kubectlOf(kubeconfig, list)('apply', '-f', '-');
}

/** Resolves when all allocators and agents are ready, and the pools are there. */
export async function installPureLB(
  { cluster, programs }: RealCluster,
  groups: Groups = usualGroups,
): Promise<void> {
  const { kubeconfig } = cluster;
  const kubectl = kubectlOf(kubeconfig);
  await kubectl('apply', '-k', 'deploy');
  await kubectl('wait', '--for=condition=Established', patience, 'crd', '--all');
  const pools = Object.entries(groups).map(([name, spec]) => group(name, spec));
  await applyObjects(kubeconfig, pools);
  await rolledOut(kubectl);
  programs.isInstalled = true;
}

export async function rolledOut(kubectl: Kubectl): Promise<void> {
  const workloads = ['deployment/allocator', 'daemonset/lbnodeagent'];
  for (const workload of workloads)
    await kubectl('-n', installNamespace, 'rollout', 'status', workload, patience);
}

function group(name: string, spec: object): KubeObject {
  const metadata = { name, namespace: installNamespace };
  return { apiVersion: 'purelb.io/v2', kind: 'ServiceGroup', metadata, spec };
}
