import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Ip, ipOf } from './ip.ts';
import {
  encodeLifetimes,
  lifetimeOf,
  longestLifetime,
  noLifetimes,
  parseLifetimes,
} from './kernel-lifetimes.ts';

const [one, two, three] = [ipOf('192.0.2.1'), ipOf('192.0.2.2'), ipOf('2001:db8::3')];
const lifetimes = (...entries: readonly [Ip, number][]) => new Map(entries);

const cases: readonly [string, ReadonlyMap<Ip, number>, string][] = [
  ['nothing is an empty text', lifetimes(), ''],
  ['an end that all have is said once', lifetimes([one, 149.57], [two, 149.57]), '149.5'],
  [
    'others are named beside the end that most have',
    lifetimes([one, 150], [three, 298], [two, 150]),
    '150;298=2001:db8::3',
  ],
  ['what stays for ever says so', lifetimes([one, Infinity]), 'forever'],
  ['what should be gone already has no time left', lifetimes([one, -3]), '0'],
];

for (const [name, value, text] of cases) {
  test(name, () => {
    assert.equal(encodeLifetimes(value), text);
    const read = parseLifetimes(text);
    for (const [ip, seconds] of value) {
      const said = lifetimeOf(read, ip) ?? 0;
      assert.ok(said <= Math.max(0, seconds) && said >= seconds - 0.1, `${said}`);
    }
  });
}

test('the longest of all is known', () => {
  assert.equal(longestLifetime(parseLifetimes('150;298=2001:db8::3')), 298);
  assert.equal(longestLifetime(noLifetimes), undefined);
});

test('what cannot be read is passed over', () => {
  assert.deepEqual(parseLifetimes(''), noLifetimes);
  assert.deepEqual(parseLifetimes('soon;5=x,192.0.2.1;later=192.0.2.2;7'), {
    usual: undefined,
    others: new Map([[one, 5]]),
  });
});

test('five hundred exceptions at most', () => {
  const many = Array.from({ length: 1_200 }, (_, index): [Ip, number] => [
    ipOf(`192.0.${2 + (index >> 8)}.${index & 255}`),
    index < 700 ? 150 : 298,
  ]);
  const text = encodeLifetimes(new Map([...many, [three, 7]]));
  assert.equal(parseLifetimes(text).others.size, 500);
});
