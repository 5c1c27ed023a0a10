/** A cluster that stays, for tests that reach it and end it from outside of its sandbox. */

import { isInSandbox, runInSandbox } from '../sandbox.ts';
import { startCluster } from './start-cluster.ts';
import { openWayOut } from './way-out.ts';
import { webDeployment } from './workload.ts';

const say = (text: string) => process.stdout.write(`${text}\n`);
const [, , where, name = ''] = process.argv;

if (isInSandbox() && where === 'inside') {
  await using cluster = await startCluster({ nodes: [2], forwarding: 'own', allocators: 1 });
  await cluster.create(webDeployment({ name, replicas: 2 }));
  say(`kubeconfig ${cluster.kubeconfig}`);
  await new Promise<void>((resolve) => process.once('SIGTERM', () => resolve()));
  await cluster.stop();
  say('stopped');
} else {
  using out = await openWayOut();
  process.exitCode = await runInSandbox(import.meta.filename, ['inside', where ?? ''], out.sandbox);
}
