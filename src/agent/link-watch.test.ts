import assert from 'node:assert/strict';
import { test } from 'node:test';
import { link } from '../decide/announcement/node.fixture.ts';
import { ManualClock } from '../runtime/manual-clock.ts';
import { LinkWatch } from './link-watch.ts';

function build() {
  const clock = new ManualClock();
  const doubts: string[] = [];
  const self = {
    stallMs: 0,
    doubt: (name: string, because: string) => doubts.push(`${name} ${because}`),
  };
  return { clock, doubts, self, watch: new LinkWatch(clock, self) };
}

const eth0 = link('eth0', { index: 2 });
const unplugged = link('eth0', { index: 2, hasCarrier: false });

test('a link that has its carrier back is a reason to doubt, however short the loss was', async () => {
  const { clock, doubts, watch } = build();
  watch.judge([eth0], undefined);
  watch.judge([unplugged], undefined);
  await clock.advance(100);
  assert.deepEqual(doubts, []);
  const { health } = watch.judge([eth0], undefined);
  assert.deepEqual([doubts, health.get(2)], [['eth0 carrierBack'], 'ready']);
});

test('links that could not be read change nothing', () => {
  const { doubts, watch } = build();
  watch.judge([unplugged], undefined);
  watch.judge(undefined, undefined);
  watch.judge([eth0], undefined);
  assert.deepEqual(doubts, ['eth0 carrierBack']);
});
