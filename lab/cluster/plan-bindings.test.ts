import assert from 'node:assert/strict';
import { test } from 'node:test';
import { planBindings } from './plan-bindings.ts';

const node = (name: string, spec: object = {}, status = 'True') => {
  return {
    metadata: { name, labels: { name } },
    spec,
    status: { conditions: [{ type: 'Ready', status }] },
  };
};
const pod = (name: string, spec: object = {}) => ({ metadata: { name }, spec });

test('waiting pods go to open nodes, where fewest pods are', () => {
  const nodes = [
    node('n1'),
    node('n2'),
    node('n3', { unschedulable: true }),
    node('n4', { taints: [{ effect: 'NoSchedule' }] }),
    node('n5', {}, 'Unknown'),
  ];
  const pods = [
    pod('there', { nodeName: 'n1' }),
    pod('a'),
    pod('b'),
    pod('c'),
    pod('picky', { nodeSelector: { name: 'n1' } }),
    pod('impossible', { nodeSelector: { name: 'n3' } }),
  ];
  assert.deepEqual(
    planBindings(pods, nodes).map((each) => `${each.pod.metadata.name} ${each.node}`),
    ['a n2', 'b n1', 'c n2', 'picky n1'],
  );
});
