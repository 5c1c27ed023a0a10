import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { test } from 'node:test';
import { Slots } from './slots.ts';

test('requests beyond the slots wait and proceed in the order in which they came', async () => {
  const slots = new Slots(2);
  const proceeded: number[] = [];
  const all = [1, 2, 3, 4, 5].map(async (number) => {
    await slots.take();
    proceeded.push(number);
  });
  await Promise.all(all.slice(0, 2));
  assert.deepEqual([proceeded, slots.waiting], [[1, 2], 3]);
  slots.release();
  await all[2];
  assert.deepEqual(proceeded, [1, 2, 3]);
  slots.release();
  slots.release();
  await Promise.all(all);
  assert.deepEqual([proceeded, slots.waiting], [[1, 2, 3, 4, 5], 0]);
});

test('who gives up while waiting takes no slot and leaves no listener behind', async () => {
  const slots = new Slots(1);
  await slots.take();
  const controller = new AbortController();
  const waiting = slots.take(controller.signal);
  controller.abort(new Error('enough'));
  await assert.rejects(waiting, /enough/);
  assert.deepEqual([slots.waiting, getEventListeners(controller.signal, 'abort')], [0, []]);
  slots.release();
  await slots.take(new AbortController().signal);
  await assert.rejects(slots.take(controller.signal), /enough/);
});
