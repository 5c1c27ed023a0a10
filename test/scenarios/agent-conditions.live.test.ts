import { test } from 'node:test';
import { missingBinaries } from '../../lab/control-plane/binaries.ts';
import { missing } from '../../lab/missing.ts';
import { bothWriteConditions } from './agent-conditions.contract.ts';
import { AgentWorld } from './agent-world.ts';
import { startAllocator, startRealApi } from './start-allocator.ts';

const absent = missing('ip', 'setpriv');
const title = 'allocator and agents write conditions of the same Services, and neither loses any';

async function check(options: Parameters<typeof AgentWorld.open>[0]): Promise<void> {
  await using world = await AgentWorld.open({ hasAllocator: true, agents: [], ...options });
  // One after the other: on a busy machine each of them takes its time to start.
  const allocator = await startAllocator(world);
  try {
    for (const number of [1, 2, 3]) await world.startAgent(number);
    await bothWriteConditions(world);
  } finally {
    await allocator.stop();
  }
}

test(`embedded API server: ${title}`, { skip: absent }, () => check({}));

test(
  `real API server: ${title}`,
  { skip: absent || missingBinaries('etcd', 'kube-apiserver') },
  () => check({ api: startRealApi }),
);
