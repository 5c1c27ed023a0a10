import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KubeObject } from './kube-object.ts';
import { isTolerated, readTolerations } from './toleration.ts';

const daemonSet = (tolerations: unknown): KubeObject => ({
  metadata: { name: 'lbnodeagent' },
  spec: { template: { spec: { tolerations } } },
});

test('tolerations of a DaemonSet are read, those that cannot be read tolerate nothing', () => {
  assert.deepEqual(readTolerations(daemonSet([{ operator: 'Exists', effect: 'NoExecute' }])), [
    { key: '', operator: 'Exists', value: '', effect: 'NoExecute', isLimited: false },
  ]);
  assert.deepEqual(readTolerations(daemonSet([{ key: 'a', value: 'b' }])), [
    { key: 'a', operator: 'Equal', value: 'b', effect: '', isLimited: false },
  ]);
  const limited = { key: 'a', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 };
  assert.equal(readTolerations(daemonSet([limited]))[0]?.isLimited, true);
  for (const odd of [undefined, 'x', [1]]) {
    assert.ok(readTolerations(daemonSet(odd)).every(({ key }) => key === ''));
  }
  assert.deepEqual(readTolerations({ metadata: { name: 'x' } }), []);
});

const any = { key: '', operator: 'Exists', value: '', effect: '', isLimited: false } as const;
const taint = { key: 'team', value: 'a', effect: 'NoExecute' };

for (const [name, tolerations, expected] of [
  ['nothing tolerates nothing', [], false],
  ['everything', [any], true],
  ['everything of the effect', [{ ...any, effect: 'NoExecute' }], true],
  ['everything of another effect', [{ ...any, effect: 'NoSchedule' }], false],
  ['everything, for a while', [{ ...any, isLimited: true }], false],
  ['the key, whatever its value', [{ ...any, key: 'team' }], true],
  ['another key', [{ ...any, key: 'other' }], false],
  ['the key with its value', [{ ...any, key: 'team', operator: 'Equal', value: 'a' }], true],
  ['the key with another value', [{ ...any, key: 'team', operator: 'Equal', value: 'b' }], false],
] as const) {
  test(`a taint and a toleration of ${name}`, () => {
    assert.equal(isTolerated(taint, tolerations), expected);
  });
}

test('what every DaemonSet tolerates is tolerated, and what is only preferred', () => {
  assert.ok(
    isTolerated({ key: 'node.kubernetes.io/unreachable', value: '', effect: 'NoExecute' }, []),
  );
  assert.ok(isTolerated({ ...taint, effect: 'PreferNoSchedule' }, []));
});

test('a node is left when somebody wants its pods gone, not when something befalls it', () => {
  const isLeft = (key: string, effect: string) => !isTolerated({ key, value: '', effect }, []);
  const name = (key: string) => `node.kubernetes.io/${key}`;
  for (const key of ['not-ready', 'unreachable']) assert.ok(!isLeft(name(key), 'NoExecute'), key);
  for (const key of ['disk-pressure', 'unschedulable', 'network-unavailable']) {
    assert.ok(!isLeft(name(key), 'NoSchedule'), key);
    assert.ok(isLeft(name(key), 'NoExecute'), key);
  }
  assert.ok(isLeft(name('out-of-service'), 'NoExecute'));
});
