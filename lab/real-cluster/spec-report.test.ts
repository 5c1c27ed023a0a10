import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lanesOf, matching, readOutcomes } from './spec-report.ts';

const spec = {
  ContainerHierarchyTexts: ['[sig-network] LoadBalancers'],
  LeafNodeText: 'should work (always)',
  LeafNodeType: 'It',
  State: 'passed',
  RunTime: 12_400_000_000,
};
const name = '[sig-network] LoadBalancers should work (always)';

test('outcomes are those of tests that ran or say why they did not', () => {
  const failed = { ...spec, State: 'failed', Failure: { Message: 'no answer' } };
  const skipped = { ...spec, State: 'skipped', Failure: { Message: 'one node only' } };
  const filtered = { ...spec, State: 'skipped', Failure: {} };
  const setUp = { ...spec, ContainerHierarchyTexts: null, LeafNodeType: 'BeforeSuite' };
  const report = [{ SpecReports: [spec, failed, skipped, filtered, setUp] }];
  assert.deepEqual(readOutcomes(JSON.stringify(report)), [
    { name, state: 'passed', seconds: 12 },
    { name, state: 'failed', seconds: 12, message: 'no answer' },
    { name, state: 'skipped', seconds: 12, message: 'one node only' },
  ]);
});

test('a test is selected by its whole name, taken literally', () => {
  const flag = matching({ name });
  assert.equal(flag, '--ginkgo.focus=\\[sig-network\\] LoadBalancers should work \\(always\\)$');
  const pattern = new RegExp(flag.slice('--ginkgo.focus='.length));
  assert.match(`Kubernetes e2e suite ${name}`, pattern);
  assert.doesNotMatch(`${name} on two nodes`, pattern);
});

test('tests that send from the same UDP port share a lane, others have one each', () => {
  const named = ['UDP a', 'TCP b', 'UDP c', 'TCP d'].map((each) => ({ name: each }));
  const lanes = lanesOf(named).map((lane) => lane.map((each) => each.name));
  assert.deepEqual(lanes, [['UDP a', 'UDP c'], ['TCP b'], ['TCP d']]);
  assert.deepEqual(lanesOf([]), []);
});
