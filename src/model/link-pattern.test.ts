import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { isAnchored, parseLinkPattern } from './link-pattern.ts';
import { isProblem, must } from './parsed.ts';

test('a pattern is found anywhere in a name unless it is anchored', () => {
  const rows = [
    ['eth', 'veth0', true, false],
    ['^eth', 'veth0', false, false],
    ['^eth[0-9]+$', 'eth10', true, true],
    ['^(eth|ens)', 'ens3', true, false],
    ['(?i)^ETH0$', 'eth0', true, true],
    ['\\Aeth0\\z', 'eth0', true, true],
    ['^en[[:alpha:]][[:digit:]]$', 'eno1', true, true],
    ['^(?P<kind>en)', 'enp1s0', true, false],
    ['^bond\\d\\.100$', 'bond0.100', true, true],
    ['', 'anything', true, false],
  ] as const;
  for (const [text, name, matches, anchored] of rows) {
    const pattern = must(parseLinkPattern(text));
    assert.equal(pattern.test(name), matches, text);
    assert.equal(isAnchored(pattern), anchored, text);
  }
});

test('what Go would refuse is refused, with what to write', () => {
  const rows = [
    ['eth[', 'is not a regular expression such as ^(eth|ens)[0-9]+$'],
    ['*', 'is not a regular expression such as ^(eth|ens)[0-9]+$'],
    ['^(?!lo)', 'looks around: write a pattern without (?= and (?!'],
    ['(?<=a)b', 'looks around: write a pattern without (?= and (?!'],
    ['(a)\\1', 'refers back to a group: write a pattern without \\1'],
  ] as const;
  for (const [text, wrong] of rows) {
    const problems = [{ path: 'p', message: `"${text}" ${wrong}` }];
    assert.deepEqual(parseLinkPattern(text, 'p'), { problems }, text);
  }
  assert.ok(isProblem(parseLinkPattern('(a+)+'.repeat(100))));
});

test('any text is a pattern or refused', () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.string({ unit: fc.constantFrom(...'eth0^$()[]|*+?\\.<P:=!{},') }),
  );
  fc.assert(
    fc.property(text, (written) => {
      const parsed = parseLinkPattern(written);
      if (!isProblem(parsed)) assert.equal(typeof parsed.value.test('eth0'), 'boolean');
    }),
    { numRuns: 1000 },
  );
});
