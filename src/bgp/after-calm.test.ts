import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '../runtime/manual-clock.ts';
import { AfterCalm } from './after-calm.ts';

function waiting() {
  const clock = new ManualClock();
  const acts: number[] = [];
  const act = () => acts.push(clock.monotonic() - begun);
  const begun = clock.monotonic();
  return { clock, acts, calm: new AfterCalm({ clock, calmMs: 100, longestMs: 1_000, act }) };
}

test('it is called once, when it has been calm', async () => {
  const { clock, acts, calm } = waiting();
  calm.note();
  await clock.advance(60);
  calm.note();
  await clock.advance(60);
  assert.deepEqual([acts, calm.isPlanned], [[], true]);
  await clock.advance(1_000);
  assert.deepEqual([acts, calm.isPlanned], [[160], false]);
});

test('unrest that does not end puts it off for so long and no longer', async () => {
  const { clock, acts, calm } = waiting();
  for (let times = 0; times < 50; times += 1) {
    calm.note();
    await clock.advance(50);
  }
  assert.deepEqual(acts, [1_000, 2_000]);
});

test('nobody is called after the end', async () => {
  const { clock, acts, calm } = waiting();
  calm.note();
  calm.stop();
  await clock.advance(1_000);
  assert.deepEqual([acts, calm.isPlanned], [[], false]);
});
