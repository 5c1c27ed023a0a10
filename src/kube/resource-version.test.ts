import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { compareVersions, isNewer } from './resource-version.ts';

test('decimal versions of any length compare as numbers', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 1n }), fc.bigInt({ min: 1n }), (left, right) => {
      const order = Math.sign(compareVersions(String(left), String(right)) ?? Number.NaN);
      assert.equal(order, left < right ? -1 : left > right ? 1 : 0);
      assert.equal(isNewer(String(left), String(right)), left > right);
    }),
  );
});

test('versions of any other form are equal to themselves and otherwise not comparable', () => {
  assert.equal(compareVersions('a1', 'a1'), 0);
  for (const odd of ['', '0', '007', '-1', '1.5', 'abc', '1e3']) {
    assert.equal(compareVersions(odd, '12'), undefined, odd);
    assert.equal(compareVersions('12', odd), undefined, odd);
    assert.equal(isNewer(odd, '12'), false);
    assert.equal(isNewer('12', odd), false);
  }
});
