import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Turn } from './turn.ts';

test('a turn is over after 5 ms and starts anew behind others', async () => {
  let now = 100;
  const turn = new Turn(() => now);
  now += 4;
  assert.deepEqual([turn.isOver(), turn.elapsed], [false, 4]);
  now += 1;
  assert.equal(turn.isOver(), true);
  let hadTurn = false;
  setImmediate(() => {
    hadTurn = true;
  });
  await turn.next();
  assert.deepEqual([hadTurn, turn.isOver(), turn.elapsed], [true, false, 0]);
});
