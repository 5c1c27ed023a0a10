import assert from 'node:assert/strict';
import { test } from 'node:test';
import { alignColumns, fit, line, toText, widthOf } from './styled-text.ts';

const plain = (spans: ReturnType<typeof line>) => toText(spans, false);

test('a line is made as wide as asked, with blanks or with an ellipsis', () => {
  const spans = line('on ', ['node1', 'bold']);
  assert.equal(plain(fit(spans, 10)), 'on node1  ');
  assert.equal(plain(fit(spans, 8)), 'on node1');
  assert.equal(plain(fit(spans, 5)), 'on n…');
  assert.equal(plain(fit(spans, 0)), '');
});

test('a bar is filled up as a bar', () => {
  assert.deepEqual(fit(line(['x', 'bar']), 3), [
    { text: 'x', style: 'bar' },
    { text: '  ', style: 'bar' },
  ]);
});

test('width counts characters, not code units', () => {
  assert.equal(widthOf(line('▁█', '…')), 3);
});

test('colours come only where they are wanted', () => {
  assert.equal(toText(line('a', ['b', 'bad']), true), 'a\x1b[1;31mb\x1b[0m');
  assert.equal(toText(line('a', ['b', 'bad']), false), 'ab');
});

test('columns are as wide as their widest cell, the last one as it is', () => {
  const rows = [
    [line('node1'), line('up'), line('x')],
    [line('n2'), line('down'), line('long text')],
  ];
  assert.deepEqual(alignColumns(rows).map(plain), ['node1  up    x', 'n2     down  long text']);
});
