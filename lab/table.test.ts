import assert from 'node:assert/strict';
import { test } from 'node:test';
import { renderTable } from './table.ts';

test('columns are as wide as their widest cell, figures stand right, no line ends in blanks', () => {
  const columns = [{ title: 'NODE' }, { title: 'LOST', isRight: true }, { title: 'WHY' }];
  const rows = [
    ['node1', '7', 'cable'],
    ['n2', '12345', ''],
  ];
  assert.equal(
    renderTable(columns, rows),
    `NODE    LOST  WHY
node1      7  cable
n2     12345
`,
  );
});

test('a table without rows is its heading, and a short row ends early', () => {
  assert.equal(renderTable([{ title: 'A' }, { title: 'B' }], []), 'A  B\n');
  assert.equal(renderTable([{ title: 'A' }, { title: 'B' }], [['x']]), 'A  B\nx\n');
});
