import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isProblem } from './parsed.ts';
import { readAgentOffer } from './read-agent-offer.ts';

function offer(spec: unknown) {
  return readAgentOffer({ metadata: { namespace: 'purelb', name: 'one', uid: 'u1' }, spec });
}

test('an LBNodeAgent offers its configuration to the nodes it selects', () => {
  const { local, ...rest } = offer({
    nodeSelector: { matchLabels: { rack: 'a' } },
    local: { localInterface: '^eth0$' },
  });
  assert.deepEqual(rest, {
    namespace: 'purelb',
    name: 'one',
    uid: 'u1',
    selector: { value: [{ key: 'rack', operator: 'In', values: ['a'] }] },
    resourceVersion: '',
    generation: 0,
    status: { activeLeases: undefined, observedGeneration: undefined, conditions: [] },
  });
  assert.equal(isProblem(local) ? '' : local.value?.links.pattern?.source, '^eth0$');
});

test('without a selector and without local settings it offers nothing to everyone', () => {
  const { selector, local } = offer({});
  assert.deepEqual([selector, local], [{ value: [] }, { value: undefined }]);
});

test('what is wrong with its settings does not hide which nodes it is meant for', () => {
  const { selector, local } = offer({
    nodeSelector: { matchLabels: { rack: 'a' } },
    local: { localInterface: '[' },
  });
  assert.equal(isProblem(selector), false);
  assert.equal(isProblem(local), true);
});

test('a selector that cannot be read is a problem of its own', () => {
  const { selector } = offer({
    nodeSelector: { matchExpressions: [{ key: 'rack', operator: 'Near', values: ['a'] }] },
  });
  assert.match(isProblem(selector) ? (selector.problems[0]?.message ?? '') : '', /not one of/);
});

test('what agents wrote on it is read as far as it can be', () => {
  const { status } = readAgentOffer({
    metadata: { name: 'one', generation: 2 },
    spec: {},
    status: {
      activeLeases: 3,
      observedGeneration: 2,
      conditions: [{ type: 'Ready', status: 'True' }],
    },
  });
  assert.deepEqual([status.activeLeases, status.observedGeneration], [3, 2]);
  assert.deepEqual(
    status.conditions.map(({ type }) => type),
    ['Ready'],
  );
  const odd = readAgentOffer({
    metadata: { name: 'one' },
    spec: {},
    status: { activeLeases: 'x' },
  });
  assert.equal(odd.status.activeLeases, undefined);
});
