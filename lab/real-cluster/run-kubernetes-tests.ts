/** `npm run real-cluster -- --kubernetes-tests`: inside the sandbox, on a cluster with local addresses alone. */

import { cpSync } from 'node:fs';
import { serverName } from '../network/plan-cluster.ts';
import { agnhostImage } from './agnhost-image.ts';
import { serveNames } from './cluster-names.ts';
import { installPureLB } from './install.ts';
import { runKubernetesTests } from './kubernetes-tests.ts';
import type { Outcome } from './spec-report.ts';
import { startRealCluster } from './start-real-cluster.ts';

export interface KubernetesTestsWish {
  readonly focus: string;
  readonly atOnce: number;
  /** Where reports and logs go, outside of the sandbox. */
  readonly folder: string;
}

/** One local pool, without BGP: the shape of cluster that has the hardest time with externalTrafficPolicy Local. */
const groups = {
  default: {
    externalTrafficPolicy: 'Preserve',
    local: {
      v4pools: [{ subnet: '192.0.2.0/24', pool: '192.0.2.100-192.0.2.199' }],
      v6pools: [{ subnet: '2001:db8:1::/64', pool: '2001:db8:1::100-2001:db8:1::1ff' }],
    },
  },
} as const;

/** Resolves to whether all tests passed. */
export async function runOnLocalAddresses(
  { focus, atOnce, folder }: KubernetesTestsWish,
  say: (line: string) => void,
): Promise<boolean> {
  // The tests want the health check port of an IPv4 Service at all addresses that a node tells, IPv6 ones included.
  const real = await startRealCluster({ images: [agnhostImage()], isIPv4Only: true });
  using _names = await serveNames(real.cluster.cluster, real.cluster.lab.host(serverName));
  try {
    await installPureLB(real, groups);
    say('the cluster is there, with PureLB on it');
    const outcomes = await runKubernetesTests({
      kubeconfig: real.cluster.kubeconfig,
      focus,
      atOnce,
      folder,
      onOutcome: (outcome) => say(lineOf(outcome)),
    });
    const passed = outcomes.filter(({ state }) => state === 'passed');
    say(`${passed.length} of ${outcomes.length} passed; reports and logs are in ${folder}`);
    return passed.length === outcomes.length;
  } finally {
    for (const { name } of real.cluster.lab.nodes)
      keepLogs(real.programs.diskOf(name), folder, name);
    await real.cluster.stop();
  }
}

/** Those of the kubelets and of the pods that are still there. */
function keepLogs(disk: string, folder: string, node: string): void {
  cpSync(`${disk}/log`, `${folder}/${node}`, { recursive: true });
  cpSync(`${disk}/own/var/log/pods`, `${folder}/${node}/pods`, { recursive: true });
}

function lineOf({ state, seconds, name, message, log }: Outcome): string {
  const reason = message === undefined ? '' : `\n    ${message.trim()}\n    ${log}`;
  return `${state} after ${seconds} s: ${name}${reason}`;
}
