import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toSvg } from './picture.ts';
import { line } from './styled-text.ts';

test('each piece of text begins at its column, in its colour', () => {
  const svg = toSvg([line('ab', ['cd', 'good']), line(['x', 'bar'])]);
  const texts = [...svg.matchAll(/<text x="([\d.]+)" y="(\d+)" fill="(#\w+)"[^>]*>(\w+)</g)];
  assert.deepEqual(
    texts.map(([, ...groups]) => groups),
    [
      ['12.0', '25', '#d6dae0', 'ab'],
      ['28.9', '25', '#5fd38d', 'cd'],
      ['12.0', '43', '#14171c', 'x'],
    ],
  );
});

test('what would be markup is shown as it is', () => {
  const svg = toSvg([line('<node1> & "co"')]);
  assert.match(svg, />&lt;node1&gt; &amp; "co"<\/text>/);
});
