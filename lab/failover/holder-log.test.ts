import assert from 'node:assert/strict';
import { test } from 'node:test';
import { judgeHolders, judgeSpread } from './holder-log.ts';

const log = (...entries: readonly (readonly [number, ...string[]])[]) =>
  entries.map(([at, ...holders]) => ({ at, holders }));

test('an address that stays has no moves, whatever else happens', () => {
  const stays = log([0, 'a'], [10], [20, 'a']);
  assert.deepEqual(judgeHolders(stays, 100), { twoHoldersMs: 0, moves: 0 });
});

test('two at once count for as long as it lasts, and who is left has it', () => {
  const handed = log([0, 'a'], [10, 'a', 'b'], [520, 'b'], [700, 'b', 'c'], [710, 'b']);
  assert.deepEqual(judgeHolders(handed, 1000), { twoHoldersMs: 510, moves: 1 });
});

test('a time with two that goes on from one pair to the next is one time', () => {
  const pairs = log([0, 'a', 'b'], [100, 'b', 'c']);
  assert.deepEqual(judgeHolders(pairs, 250), { twoHoldersMs: 250, moves: 0 });
});

test('the spread is from the first address that moved to the last', () => {
  const logs = new Map([
    ['192.0.2.100', log([0, 'a'], [10], [700, 'b'])],
    ['192.0.2.101', log([0, 'a'], [10], [760, 'c'], [900, 'b'])],
    ['192.0.2.102', log([0, 'b'])],
    ['192.0.2.103', log([0, 'a'], [10], [2000, 'a'])],
  ]);
  assert.equal(judgeSpread(logs), 60);
  assert.equal(judgeSpread(new Map([...logs].slice(2))), 0);
});
