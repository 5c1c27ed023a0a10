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
    { key: '', operator: 'Exists', value: '', effect: 'NoExecute' },
  ]);
  assert.deepEqual(readTolerations(daemonSet([{ key: 'a', value: 'b' }])), [
    { key: 'a', operator: 'Equal', value: 'b', effect: '' },
  ]);
  for (const odd of [undefined, 'x', [1]]) {
    assert.ok(readTolerations(daemonSet(odd)).every(({ key }) => key === ''));
  }
  assert.deepEqual(readTolerations({ metadata: { name: 'x' } }), []);
});

const any = { key: '', operator: 'Exists', value: '', effect: '' } as const;
const taint = { key: 'team', value: 'a', effect: 'NoExecute' };

for (const [name, tolerations, expected] of [
  ['nothing tolerates nothing', [], false],
  ['everything', [any], true],
  ['everything of the effect', [{ ...any, effect: 'NoExecute' }], true],
  ['everything of another effect', [{ ...any, effect: 'NoSchedule' }], false],
  ['the key, whatever its value', [{ ...any, key: 'team' }], true],
  ['another key', [{ ...any, key: 'other' }], false],
  ['the key with its value', [{ key: 'team', operator: 'Equal', value: 'a', effect: '' }], true],
  [
    'the key with another value',
    [{ key: 'team', operator: 'Equal', value: 'b', effect: '' }],
    false,
  ],
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
