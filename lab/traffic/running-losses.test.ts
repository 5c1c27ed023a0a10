import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RunningLosses } from './running-losses.ts';

/** A packet each 10 ms; `.` is answered, `x` is not. */
function losses(story: string, now = 10 * story.length + 1000) {
  const sentAt = [...story].map((_, index) => index * 10);
  const answeredAt = [...story].map((each, index) => (each === '.' ? index * 10 + 1 : Number.NaN));
  const running = new RunningLosses(sentAt, answeredAt, 250);
  running.settle(story.length, now);
  return running;
}

test('what is not answered in time is lost, and a row of them an outage', () => {
  const { lost, longestOutageMs } = losses('...xx..xxxx.');
  assert.deepEqual([lost, longestOutageMs], [6, 40]);
});

test('nothing is lost before the first answer, nor while there is time', () => {
  assert.equal(losses('xxxx..').lost, 0);
  assert.equal(losses('..xx', 200).lost, 0);
});

test('an outage that goes on counts as long as it is', () => {
  assert.equal(losses('.xxxxx').longestOutageMs, 40);
});

test('an answer that comes late takes the loss back', () => {
  const running = losses('..xx.');
  running.hear(2);
  assert.equal(running.lost, 1);
});
