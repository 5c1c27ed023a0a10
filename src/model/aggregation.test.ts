import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseAggregation } from './aggregation.ts';
import { isProblem } from './parsed.ts';

test('an aggregation is default or a prefix length of its family', () => {
  const rows = [
    ['default', 'ipv4', undefined],
    ['', 'ipv6', undefined],
    ['/8', 'ipv4', 8],
    ['/32', 'ipv4', 32],
    ['/64', 'ipv6', 64],
    ['/128', 'ipv6', 128],
    ['/128', undefined, 128],
  ] as const;
  for (const [text, family, value] of rows) {
    assert.deepEqual(parseAggregation(text, '', family), { value }, text);
  }
});

test('any other aggregation is refused with what to write', () => {
  const rows = [
    ['32', 'ipv4', 'write /32'],
    ['/33', 'ipv4', 'write default, or /8 to /32'],
    ['/129', 'ipv6', 'write default, or /8 to /128'],
    ['/7', 'ipv6', 'write default, or /8 to /128'],
    ['/024', 'ipv4', 'write default, or /8 to /32'],
    ['Default', 'ipv4', 'write default, or /8 to /32'],
    ['/-24', 'ipv4', 'write default, or /8 to /32'],
  ] as const;
  for (const [text, family, advice] of rows) {
    const message = `"${text}" is not an aggregation: ${advice}`;
    assert.deepEqual(parseAggregation(text, 'p', family), { problems: [{ path: 'p', message }] });
  }
});

test('any text is an aggregation or refused', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const parsed = parseAggregation(text, '', undefined);
      assert.ok(isProblem(parsed) || text === '' || text === 'default' || text.startsWith('/'));
    }),
  );
});
