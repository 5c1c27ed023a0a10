import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readConditions } from './condition.ts';
import { read } from './cursor.ts';

test('conditions are read as they are, and those that cannot be read left out', () => {
  const reading = read(
    [
      {
        type: 'Ready',
        status: 'False',
        reason: 'ParseFailed',
        message: 'write it like this',
        observedGeneration: 4,
        lastTransitionTime: '1970-01-01T00:00:01Z',
      },
      { type: 'Other', status: 'maybe' },
      'odd',
      { type: 'Bare', status: 'True' },
    ],
    readConditions,
  );
  assert.deepEqual('value' in reading && reading.value, [
    {
      type: 'Ready',
      status: 'False',
      reason: 'ParseFailed',
      message: 'write it like this',
      observedGeneration: 4,
      changedAt: 1000,
    },
    {
      type: 'Bare',
      status: 'True',
      reason: '',
      message: '',
      observedGeneration: undefined,
      changedAt: 0,
    },
  ]);
  assert.deepEqual(
    reading.warnings.map(({ path }) => path),
    ['[1].status', '[2]', '[2].type', '[2].status'],
  );
});
