/** Brings the cluster to so many addresses, and waits until each is announced. */

import { eventually } from '../lab/eventually.ts';
import { services } from '../src/kube/resources.ts';
import { workNamespace } from '../test/deployed-cluster.ts';
import { type AgentCluster, forAll } from './agent-cluster.ts';

const longestMs = 240_000;

/** Those that are there stay. */
export async function serveAddresses(
  cluster: AgentCluster,
  wanted: number,
  say: (text: string) => void,
): Promise<void> {
  const present = await countAnnounced(cluster);
  const numbers = Array.from({ length: wanted - present.all }, (_, index) => present.all + index);
  say(`addresses: ${present.all}, to be ${wanted}`);
  await forAll(numbers, (number) => cluster.create(`cost-${number}`, { group: 'blind' }));
  let told = 0;
  await eventually(
    async () => {
      const { announced } = await countAnnounced(cluster);
      if (announced - told >= 250) {
        told = announced;
        say(`addresses: ${announced} of ${wanted} are announced`);
      }
      if (announced < wanted) throw new Error(`${announced} of ${wanted} are announced`);
    },
    { withinMs: longestMs, everyMs: 500 },
  );
}

async function countAnnounced({ deployed }: AgentCluster) {
  const found = { all: 0, announced: 0 };
  for await (const { items } of deployed.cluster.list(services, { namespace: workNamespace })) {
    found.all += items.length;
    found.announced += items.filter(
      ({ metadata }) => metadata.annotations?.['purelb.io/announcing-IPv4'] !== undefined,
    ).length;
  }
  return found;
}
