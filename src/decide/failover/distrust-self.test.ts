import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LinkObservations } from '../announcement/judge-links.ts';
import {
  type Doubts,
  doubtOf,
  everyLink,
  findReturned,
  idleBetween,
  isAnswerMissed,
  noteDoubt,
} from './distrust-self.ts';

const start = { monotonic: 1_000, boot: 5_000, busy: 70 };
const later = (monotonic: number, boot: number, busy: number) => ({
  monotonic: start.monotonic + monotonic,
  boot: start.boot + boot,
  busy: start.busy + busy,
});

const idleCases: readonly [string, ReturnType<typeof later>, number][] = [
  ['a process that runs on time was not idle beyond its sleep', later(200, 200, 1), 199],
  ['a stopped process was idle all the time', later(2_000, 2_000, 0), 2_000],
  ['a suspended machine shows in boot time alone', later(200, 60_200, 1), 60_199],
  ['one that computes all the while was not idle', later(900, 900, 900), 0],
  ['clocks of processor time run a little ahead', later(900, 900, 905), 0],
];

for (const [name, now, expected] of idleCases) {
  test(name, () => assert.equal(idleBetween(start, now), expected));
}

test('a doubt about every link is one about each, and the latest counts', () => {
  const none: Doubts = new Map();
  assert.equal(doubtOf(none, 'eth0'), undefined);
  const stalled = noteDoubt(none, everyLink, { at: 10, because: 'stalled' });
  const back = noteDoubt(stalled, 'eth0', { at: 20, because: 'carrierBack' });
  assert.deepEqual(
    ['eth0', 'eth1'].map((link) => doubtOf(back, link)?.because),
    ['carrierBack', 'stalled'],
  );
  const again = noteDoubt(back, everyLink, { at: 30, because: 'stalled' });
  assert.equal(doubtOf(again, 'eth0')?.at, 30);
  assert.equal(noteDoubt(again, everyLink, { at: 25, because: 'started' }), again);
});

test('a link is back when it was seen without carrier before, and has it now', () => {
  const seen = (
    kinds: Readonly<Record<number, 'running' | 'lost' | 'returned'>>,
  ): LinkObservations =>
    new Map(
      Object.entries(kinds).map(([index, kind]) => [
        Number(index),
        kind === 'running' ? { kind } : { kind, at: 0 },
      ]),
    );
  const before = seen({ 1: 'lost', 2: 'lost', 3: 'lost', 4: 'running', 5: 'returned' });
  const now = seen({
    1: 'running',
    2: 'returned',
    3: 'lost',
    4: 'running',
    5: 'running',
    6: 'running',
  });
  assert.deepEqual(findReturned(before, now), [1, 2]);
  assert.deepEqual(findReturned(undefined, now), []);
});

test('an agent that could not read its kernel for 2 s has left questions of members unanswered', () => {
  assert.deepEqual([isAnswerMissed(1_999), isAnswerMissed(2_000)], [false, true]);
});
