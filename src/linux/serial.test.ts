import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Serial } from './serial.ts';

test('tasks run one after another, also behind one that failed', async () => {
  const serial = new Serial();
  const log: string[] = [];
  const task = (name: string) => async () => {
    log.push(`${name} starts`);
    await nextTurn();
    log.push(`${name} ends`);
    if (name === 'b') throw new Error('b failed');
    return name;
  };
  const results = await Promise.allSettled(['a', 'b', 'c'].map((name) => serial.run(task(name))));
  assert.deepEqual(
    results.map((result) => (result.status === 'fulfilled' ? result.value : `${result.reason}`)),
    ['a', 'Error: b failed', 'c'],
  );
  assert.deepEqual(log, ['a starts', 'a ends', 'b starts', 'b ends', 'c starts', 'c ends']);
});
