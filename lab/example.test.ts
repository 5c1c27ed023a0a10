import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const read = (name: string) => readFileSync(join(import.meta.dirname, name), 'utf8');

test('the example in the README is the program beside it', () => {
  const [, shown] = /```ts\n(.*?)```/s.exec(read('README.md')) ?? [];
  assert.equal(shown, read('example.ts'));
});
