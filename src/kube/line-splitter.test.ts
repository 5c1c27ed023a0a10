import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { LineSplitter } from './line-splitter.ts';

function split(chunks: readonly Uint8Array[], longest = 1000): readonly string[] {
  const splitter = new LineSplitter(longest);
  return chunks.flatMap((chunk) => [...splitter.push(chunk)].map((line) => line.toString()));
}

/** The bytes of `text` cut at the given places. */
function cut(text: string, places: readonly number[]): readonly Uint8Array[] {
  const bytes = Buffer.from(text);
  const cuts = [0, ...places.map((place) => place % (bytes.length + 1)), bytes.length].sort(
    (a, b) => a - b,
  );
  return cuts.slice(1).map((end, index) => bytes.subarray(cuts[index], end));
}

test('lines come out whole however the bytes are cut, also in the middle of a character', () => {
  const line = fc.string({ unit: 'grapheme', maxLength: 30 }).map((s) => s.replaceAll('\n', '↵'));
  fc.assert(
    fc.property(fc.array(line), fc.array(fc.nat()), (lines, places) => {
      const text = lines.map((each) => `${each}\n`).join('');
      assert.deepEqual(
        split(cut(text, places)),
        lines.filter((each) => each !== ''),
      );
    }),
  );
});

test('an unfinished line is held back', () => {
  const splitter = new LineSplitter(100);
  assert.deepEqual([...splitter.push(Buffer.from('{"type":"ADD'))], []);
  assert.equal(splitter.pending, 12);
});

test('a line without end is refused before it fills the memory, and after what came before it', () => {
  const long = Buffer.from('first\n1234567890x');
  assert.deepEqual(split([long], 10), ['first']);
  assert.throws(() => split([long, Buffer.from('y')], 10), { code: 'oversize' });
  assert.deepEqual(split([Buffer.from('1234567890\n1234567890\n')], 10).length, 2);
});
