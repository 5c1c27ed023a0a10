import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { noteSequence, type ReplayWindow } from './replay-window.ts';

function listen(sequences: readonly number[]): readonly number[] {
  let window: ReplayWindow | undefined;
  return sequences.filter((sequence) => {
    const next = noteSequence(window, sequence);
    window = next ?? window;
    return next !== undefined;
  });
}

test('each number is heard once, also where packets overtake each other', () => {
  assert.deepEqual(listen([5, 6, 6, 5, 9, 7, 8, 7, 9]), [5, 6, 9, 7, 8]);
});

test('a number below the window counts as heard', () => {
  assert.deepEqual(listen([100, 36, 37, 37]), [100, 37]);
  assert.deepEqual(listen([1, 2 ** 40, 1, 2 ** 40 - 1]), [1, 2 ** 40, 2 ** 40 - 1]);
});

test('whatever is heard, nothing is heard twice, and nothing that counts up is missed', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(300)), (sequences) => {
      const heard = listen(sequences);
      assert.equal(new Set(heard).size, heard.length);
      const rising = [...new Set(sequences)].sort((left, right) => left - right);
      assert.deepEqual(listen(rising), rising);
    }),
  );
});
