import assert from 'node:assert/strict';
import { test } from 'node:test';
import { read } from './cursor.ts';
import { readDuration } from './read-duration.ts';

const readWait = (input: unknown) =>
  read(input, (root) =>
    readDuration(root.fields('wait').wait, { from: '1ms', to: '5s', usual: '20ms' }),
  );

test('a duration is what is written, or else the usual one', () => {
  assert.deepEqual(readWait({ wait: '1.5s' }), { value: 1500, warnings: [] });
  assert.deepEqual(readWait({}), { value: 20, warnings: [] });
});

test('a duration out of bounds is refused where it stands', () => {
  const problems = [{ path: 'wait', message: '6s is out of bounds: write 1ms to 5s' }];
  assert.deepEqual(readWait({ wait: '6s' }), { problems, warnings: [] });
});
