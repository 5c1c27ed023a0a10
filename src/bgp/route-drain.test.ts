import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pathTo } from '../gobgp/speaker.fixture.ts';
import { ManualClock } from '../runtime/manual-clock.ts';
import { RouteDrain } from './route-drain.ts';

const plain = { paths: [pathTo('203.0.113.7/32')] };
const marked = { paths: [pathTo('203.0.113.7/32', ['65535:0'])] };
const none = { paths: [] };

function draining() {
  const clock = new ManualClock();
  const drain = new RouteDrain(clock);
  const shown = () => [drain.farewell, drain.isUnderWay];
  return { clock, drain, shown };
}

test('a node that takes part has nothing to wait for', () => {
  const { drain, shown } = draining();
  assert.equal(drain.note(false), false);
  drain.noteState(plain);
  assert.deepEqual([...shown(), drain.wakeAt], ['none', false, Infinity]);
});

test('routes are marked for a second, then withdrawn, and only then addresses may go', async () => {
  const { clock, drain, shown } = draining();
  assert.deepEqual([drain.note(true), drain.note(true)], [true, false]);
  drain.noteState(plain);
  await clock.advance(300);
  drain.noteState(marked);
  await clock.advance(999);
  assert.deepEqual([...shown(), drain.wakeAt - clock.monotonic()], ['marked', true, 1]);
  await clock.advance(1);
  assert.deepEqual(shown(), ['withdrawn', true]);
  drain.noteState(marked);
  assert.deepEqual(shown(), ['withdrawn', true]);
  drain.noteState(none);
  assert.deepEqual([...shown(), drain.wakeAt], ['withdrawn', false, Infinity]);
});

test('a node without routes, or without a daemon, keeps no address', () => {
  for (const state of [none, undefined]) {
    const { drain, shown } = draining();
    drain.note(true);
    drain.noteState(state);
    assert.deepEqual(shown(), ['withdrawn', false]);
  }
});

test('a daemon that does not do as it is told keeps addresses for five seconds', async () => {
  const { clock, drain, shown } = draining();
  drain.note(true);
  drain.noteState(plain);
  await clock.advance(3_999);
  assert.deepEqual(shown(), ['marked', true]);
  await clock.advance(1);
  assert.deepEqual(shown(), ['withdrawn', true]);
  await clock.advance(1_000);
  assert.deepEqual(shown(), ['withdrawn', false]);
});

test('a node that takes part again is advertised as before, at any time', async () => {
  const { clock, drain, shown } = draining();
  drain.note(true);
  drain.noteState(marked);
  await clock.advance(2_000);
  assert.equal(drain.note(false), true);
  assert.deepEqual(shown(), ['none', false]);
  drain.note(true);
  assert.deepEqual(shown(), ['marked', true]);
});
