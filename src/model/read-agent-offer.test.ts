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
