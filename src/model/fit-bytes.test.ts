import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { fitBytes, fitMessage } from './fit-bytes.ts';

const bytesOf = (text: string) => new TextEncoder().encode(text).length;

test('a text within the limit stays as it is, to the byte', () => {
  assert.equal(fitBytes('äöü', 6), 'äöü');
  assert.equal(fitBytes('€uro', 6), '€uro');
  assert.equal(fitMessage('x'.repeat(32_768)), 'x'.repeat(32_768));
  assert.equal(fitMessage('ü'.repeat(16_384)), 'ü'.repeat(16_384));
});

test('a longer one is cut by bytes, never inside a character', () => {
  assert.equal(fitBytes('abcdefg', 6), 'abc…');
  assert.equal(fitBytes('äöüß', 7), 'äö…');
  assert.equal(fitBytes('a😀😀', 8), 'a😀…');
  assert.equal(fitBytes('a😀😀', 7), 'a…');
  const long = fitMessage('日'.repeat(20_000));
  assert.equal(bytesOf(long), 32_768 - ((32_768 - 3) % 3));
});

test('half a character becomes what the API server makes of it', () => {
  assert.equal(fitBytes('a\ud800b', 100), 'a\ufffdb');
  assert.equal(fitBytes('a\ud800b', 4), 'a…');
});

test('what fits is never cut, what is cut fits, and nothing is cut twice', () => {
  const limit = fc.integer({ min: 3, max: 40 });
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 40 }), limit, (text, most) => {
      const cut = fitBytes(text, most);
      assert.ok(bytesOf(cut) <= most);
      assert.ok(cut.isWellFormed());
      assert.equal(fitBytes(cut, most), cut);
      if (bytesOf(text) <= most) assert.equal(cut, text.toWellFormed());
      else assert.ok(text.toWellFormed().startsWith(cut.slice(0, -1)));
    }),
  );
});
