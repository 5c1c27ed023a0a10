import assert from 'node:assert/strict';
import { test } from 'node:test';
import { missing } from '../missing.ts';
import { Lab, lan } from '../network/lab.ts';
import { planCluster } from '../network/plan-cluster.ts';
import { withPods } from '../network/plan-pods.ts';
import { ask, type Question } from './ask.ts';
import { startResponder } from './responder.ts';

const skip = missing('ip', 'setpriv');
const port = 8080;

test('a question is answered with a name, refused, or met by silence', { skip }, async () => {
  await using lab = await lan({ nodes: 1 });
  const node = lab.node(1);
  await startResponder(node, { port });
  const questions = (['ipv4', 'ipv6'] as const).flatMap((family): readonly Question[] => [
    { protocol: 'TCP', to: node.address(family), port },
    { protocol: 'UDP', to: node.address(family), port },
    { protocol: 'TCP', to: node.address(family), port: port + 1 },
  ]);
  const answers = ['node1', 'node1', 'ECONNREFUSED'];
  assert.deepEqual(await ask(lab.client, questions), [...answers, ...answers]);
  await node.run(['ip', 'link', 'set', 'eth0', 'down']);
  const [first] = questions;
  assert.ok(first !== undefined);
  assert.deepEqual(await ask(lab.client, [first], 300), ['silence']);
});

test('pods on one node answer those on another, and know who asks', { skip }, async () => {
  await using lab = await Lab.build(withPods(planCluster({ nodes: [1, 1] })));
  const pod = lab.host('pod2');
  await startResponder(pod, { port, tellsPeer: true });
  const questions = [pod.ipv4, pod.ipv6].flatMap((to): readonly Question[] => [
    { protocol: 'TCP', to, port },
    { protocol: 'UDP', to, port },
  ]);
  const seen = [lab.host('pod1').ipv4, lab.host('pod1').ipv6];
  assert.deepEqual(
    await ask(lab.host('pod1'), questions),
    seen.flatMap((ip) => [`pod2 for ${ip}`, `pod2 for ${ip}`]),
  );
});
