import assert from 'node:assert/strict';
import { test } from 'node:test';
import { read } from './cursor.ts';
import { isProblem, must } from './parsed.ts';
import { prefixOf } from './prefix.ts';
import { readDefinedSet } from './read-bgp-defined-set.ts';

const readSet = (set: object) => read({ name: 's', ...set }, readDefinedSet);

test('a set of prefixes says how long those that match may be', () => {
  const prefixes = [
    { ipPrefix: '198.51.100.0/24' },
    { ipPrefix: '198.51.100.0/24', maskLengthMax: 32 },
    { ipPrefix: '2001:db8::/32', maskLengthMin: 48, maskLengthMax: 64 },
  ];
  assert.deepEqual(must(readSet({ prefixes })), {
    type: 'prefix',
    name: 's',
    members: [],
    prefixes: [
      { prefix: prefixOf('198.51.100.0/24'), shortest: 24, longest: 24 },
      { prefix: prefixOf('198.51.100.0/24'), shortest: 24, longest: 32 },
      { prefix: prefixOf('2001:db8::/32'), shortest: 48, longest: 64 },
    ],
  });
});

test('other sets hold text that the daemon takes', () => {
  const rows = [
    ['neighbor', ['192.0.2.1', '2001:db8::/64']],
    ['as-path', ['^64501_', '_64502$']],
    ['community', ['64500:1', '^64500:.*$']],
    ['large-community', ['64500:1:2']],
  ] as const;
  for (const [type, list] of rows) {
    assert.deepEqual(must(readSet({ type, list })), {
      type,
      name: 's',
      members: list,
      prefixes: [],
    });
  }
});

test('what makes no sense is refused', () => {
  for (const set of [
    { type: 'prefixes' },
    { type: 'neighbor', list: ['router'] },
    { type: 'community', list: ['['] },
    { prefixes: [{}] },
    { prefixes: [{ ipPrefix: '192.0.2.0/24', maskLengthMin: 28, maskLengthMax: 26 }] },
    { prefixes: [{ ipPrefix: '192.0.2.0/24', maskLengthMax: 33 }] },
    { prefixes: [{ rtcPrefix: '64500:1' }] },
  ]) {
    assert.ok(isProblem(readSet(set)), JSON.stringify(set));
  }
});
