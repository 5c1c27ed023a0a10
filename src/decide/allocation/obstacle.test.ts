import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isNoObstacle, isObstacle, postpone, refuse } from './obstacle.ts';

test('whoever is refused waits for an edit at least, whoever is put off for what is missing', () => {
  const refused = refuse('exhausted', 'none left', {
    pool: 'x',
    waitsFor: [{ kind: 'pool', pool: 'x', family: 'ipv4' }],
  });
  assert.deepEqual(refused, {
    kind: 'refuse',
    reason: 'exhausted',
    message: 'none left',
    pool: 'x',
    waitsFor: [{ kind: 'edit' }, { kind: 'pool', pool: 'x', family: 'ipv4' }],
  });
  const put = postpone('soon', undefined, { kind: 'subnets' });
  assert.deepEqual([put.kind, put.waitsFor], ['pending', [{ kind: 'subnets' }]]);
  assert.deepEqual([isObstacle(put), isObstacle({}), isNoObstacle(put)], [true, false, false]);
});
