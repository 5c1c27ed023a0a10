import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stripChart } from './strip-chart.ts';
import { toText } from './styled-text.ts';

const tick = (answered: number, sent = 100) => ({ sent, answered });

test('each tick is as high as its share of answers, the newest on the right', () => {
  const ticks = [tick(100), tick(50), tick(1), tick(0), tick(0, 0), tick(100)];
  assert.equal(toText(stripChart(ticks, 8), false), '  █▄▁× █');
  assert.equal(toText(stripChart(ticks, 3), false), '× █');
});

test('all answered is green, anything lost is red, and neighbours share one style', () => {
  assert.deepEqual(stripChart([tick(100), tick(100), tick(99), tick(0)], 4), [
    { text: '██', style: 'good' },
    { text: '▇×', style: 'bad' },
  ]);
});

test('an answer that comes a tick later does not overflow', () => {
  assert.equal(toText(stripChart([tick(120)], 1), false), '█');
});
