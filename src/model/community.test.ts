import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  parseCommunity,
  parseLargeCommunity,
  parseRouteTarget,
  spellCommunity,
} from './community.ts';
import { isProblem } from './parsed.ts';

const rows = [
  [parseCommunity, ['65000:100', '0:0', '65535:65535', 'no-export', 'graceful-shutdown']],
  [parseLargeCommunity, ['4294967295:0:1']],
  [parseRouteTarget, ['64512:100', '192.0.2.1:100', 'rt:4200000000:7', 'soo:1:2']],
] as const;

test('communities are taken as people write them', () => {
  for (const [parse, texts] of rows) {
    for (const text of texts) assert.deepEqual(parse(text), { value: text }, text);
  }
});

test('what is no community is refused with an example', () => {
  const wrong = [
    [parseCommunity, ['', '65000', '65536:1', '1:2:3', 'export', '1:x', '-1:2']],
    [parseLargeCommunity, ['1:2', '4294967296:0:0', '1:2:3:4']],
    [parseRouteTarget, ['100', 'x:1', '1:2:3', '192.0.2:1', 'xx:1:2']],
  ] as const;
  for (const [parse, texts] of wrong) {
    for (const text of texts) assert.ok(isProblem(parse(text, 'p')), text);
  }
  assert.deepEqual(parseCommunity('65000', 'p'), {
    problems: [{ path: 'p', message: '"65000" is not a community such as 65000:100 or no-export' }],
  });
});

test('names stand for numbers', () => {
  assert.deepEqual(['no-export', 'graceful-shutdown', '64500:1'].map(spellCommunity), [
    '65535:65281',
    '65535:0',
    '64500:1',
  ]);
});

test('any text is one or is not', () => {
  const text = fc.oneof(fc.string(), fc.string({ unit: fc.constantFrom(...'0123456789:.') }));
  fc.assert(
    fc.property(text, (any) => {
      for (const [parse] of rows) {
        const parsed = parse(any);
        assert.ok(isProblem(parsed) || parsed.value === any);
      }
    }),
  );
});
