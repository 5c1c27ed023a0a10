import assert from 'node:assert/strict';
import { test } from 'node:test';
import { WakeCount } from './wake-count.ts';

function build() {
  const counted: string[] = [];
  return { counted, wakes: new WakeCount((reason) => counted.push(reason)) };
}

test('a pass is counted once, by the first of those that called for it', () => {
  const { counted, wakes } = build();
  wakes.call('kernel');
  wakes.call('cluster');
  wakes.begin();
  assert.deepEqual(counted, ['kernel']);
  wakes.call('cluster');
  wakes.begin();
  assert.deepEqual(counted, ['kernel', 'cluster']);
});

test('a pass that nothing called for is counted by what was planned first', () => {
  const { counted, wakes } = build();
  assert.equal(wakes.plan({ placement: 900, telling: 300, audit: 30_000 }), 300);
  wakes.begin();
  assert.deepEqual(counted, ['telling']);
});

test('one that was called for in time leaves the plan uncounted', () => {
  const { counted, wakes } = build();
  wakes.plan({ audit: 30_000 });
  wakes.call('wire');
  wakes.begin();
  assert.deepEqual(counted, ['wire']);
});

test('a pass after one that failed is a retry, whatever had been planned before', () => {
  const { counted, wakes } = build();
  wakes.plan({ audit: 30_000 });
  wakes.begin();
  wakes.begin();
  assert.deepEqual(counted, ['audit', 'retry']);
});

test('with nothing planned there is no time', () => {
  const { wakes } = build();
  assert.equal(wakes.plan({}), Infinity);
});
