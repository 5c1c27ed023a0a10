import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { anyFamily, anyIp, anyPrefix, anyText, prefixesOf } from './ip.fixture.ts';
import { familyOf, ipOf, ipToBigInt } from './ip.ts';
import { isProblem } from './parsed.ts';
import {
  formatPrefix,
  hostPrefixOf,
  lastOf,
  networkOf,
  type Prefix,
  parsePrefix,
  prefixContains,
  prefixesOverlap,
  prefixOf,
} from './prefix.ts';

test('a prefix keeps the bits behind it and knows its network and last address', () => {
  const rows = [
    ['192.0.2.77/24', '192.0.2.0/24', '192.0.2.255'],
    ['192.0.2.77/32', '192.0.2.77/32', '192.0.2.77'],
    ['192.0.2.77/31', '192.0.2.76/31', '192.0.2.77'],
    ['192.0.2.77/0', '0.0.0.0/0', '255.255.255.255'],
    ['2001:db8::4d/64', '2001:db8::/64', '2001:db8::ffff:ffff:ffff:ffff'],
    ['2001:db8::4d/128', '2001:db8::4d/128', '2001:db8::4d'],
    ['2001:db8::4d/127', '2001:db8::4c/127', '2001:db8::4d'],
    ['2001:db8::4d/0', '::/0', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ] as const;
  for (const [text, network, last] of rows) {
    const prefix = prefixOf(text);
    const found = [formatPrefix(prefix), formatPrefix(networkOf(prefix)), lastOf(prefix)];
    assert.deepEqual(found, [text, network, last]);
  }
});

test('one address alone is a prefix of full length', () => {
  assert.equal(formatPrefix(hostPrefixOf(ipOf('192.0.2.1'))), '192.0.2.1/32');
  assert.equal(formatPrefix(hostPrefixOf(ipOf('2001:db8::1'))), '2001:db8::1/128');
});

test('what is not a prefix is refused with everything that is wrong', () => {
  const length = (text: string, family: 'IPv4' | 'IPv6') =>
    `"${text}" is not a prefix length: write 0 to ${family === 'IPv4' ? 32 : 128} after the "/" for ${family}`;
  const rows: readonly (readonly [string, ...string[]])[] = [
    ['', '"" is not a prefix such as 192.0.2.0/24 or 2001:db8::/64'],
    ['192.0.2.1', '"192.0.2.1" is not a prefix: for this address alone write 192.0.2.1/32'],
    ['2001:db8::1', '"2001:db8::1" is not a prefix: for this address alone write 2001:db8::1/128'],
    ['192.0.2.0/33', length('33', 'IPv4')],
    ['2001:db8::/129', length('129', 'IPv6')],
    ['192.0.2.0/', length('', 'IPv4')],
    ['192.0.2.0/024', length('024', 'IPv4')],
    ['192.0.2.0/+8', length('+8', 'IPv4')],
    ['192.0.2.0/24 ', length('24 ', 'IPv4')],
    ['192.0.2.0/24/8', length('24/8', 'IPv4')],
    ['192.0.2.0/255.255.255.0', length('255.255.255.0', 'IPv4')],
    ['192.0.2/33', '"192.0.2" is not an IP address'],
    ['192.0.2/x', '"192.0.2" is not an IP address', length('x', 'IPv6')],
    ['fe80::1%eth0/64', '"fe80::1%eth0" is not an IP address: leave out the zone after "%"'],
  ];
  for (const [text, ...messages] of rows) {
    const problems = messages.map((message) => ({ path: 'spec.subnet', message }));
    assert.deepEqual(parsePrefix(text, 'spec.subnet'), { problems }, text);
  }
  assert.throws(() => prefixOf('192.0.2.0/33'), TypeError);
});

test('over-long text is not echoed', () => {
  const parsed = parsePrefix(`${'1'.repeat(9_999)}/${'2'.repeat(9_999)}`);
  assert.equal(isProblem(parsed) && parsed.problems.length, 2);
  assert.ok(isProblem(parsed) && parsed.problems.every(({ message }) => message.length < 160));
});

test('a prefix contains its network and nothing beside it', () => {
  const rows = [
    ['192.0.2.64/26', ['192.0.2.63', '192.0.2.128', '2001:db8::1', '::c000:240']],
    ['2001:db8:0:1::/64', ['2001:db8::', '2001:db8:0:2::', '192.0.2.1']],
  ] as const;
  for (const [text, outside] of rows) {
    const prefix = prefixOf(text);
    for (const inside of [networkOf(prefix).ip, lastOf(prefix)]) {
      assert.equal(prefixContains(prefix, inside), true, inside);
    }
    for (const ip of outside) assert.equal(prefixContains(prefix, ipOf(ip)), false, ip);
  }
});

test('families never contain or overlap each other', () => {
  const [v4, v6] = [prefixOf('0.0.0.0/0'), prefixOf('::/0')];
  assert.equal(prefixContains(v6, ipOf('192.0.2.1')), false);
  assert.equal(prefixContains(v4, ipOf('::1')), false);
  assert.equal(prefixesOverlap(v4, v6), false);
});

test('any text parses or is refused, and what parses survives being written', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const parsed = parsePrefix(text);
      if (!isProblem(parsed)) assert.deepEqual(parsePrefix(formatPrefix(parsed.value)), parsed);
    }),
    { numRuns: 2000 },
  );
  fc.assert(
    fc.property(anyPrefix, (prefix) => {
      assert.deepEqual(parsePrefix(formatPrefix(prefix)), { value: prefix });
    }),
  );
});

test('contains and overlaps agree with the numbers of the first and last address', () => {
  const numbers = (prefix: Prefix) => [networkOf(prefix).ip, lastOf(prefix)].map(ipToBigInt);
  const isBetween = (prefix: Prefix, value: bigint) => {
    const [first = 0n, last = 0n] = numbers(prefix);
    return first <= value && value <= last;
  };
  const pair = anyFamily.chain((family) => fc.tuple(prefixesOf(family), prefixesOf(family)));
  fc.assert(
    fc.property(pair, ([left, right]) => {
      assert.equal(prefixContains(left, right.ip), isBetween(left, ipToBigInt(right.ip)));
      const [first = 0n, last = 0n] = numbers(right);
      const [leftFirst = 0n] = numbers(left);
      const overlap =
        isBetween(left, first) || isBetween(left, last) || isBetween(right, leftFirst);
      assert.equal(prefixesOverlap(left, right), overlap);
      assert.equal(prefixesOverlap(right, left), overlap);
    }),
    { numRuns: 2000 },
  );
});

test('clearing the bits behind a prefix twice changes nothing more', () => {
  fc.assert(
    fc.property(anyPrefix, anyIp, (prefix, ip) => {
      assert.deepEqual(networkOf(networkOf(prefix)), networkOf(prefix));
      assert.equal(prefixContains(networkOf(prefix), ip), prefixContains(prefix, ip));
      assert.equal(familyOf(lastOf(prefix)), familyOf(prefix.ip));
    }),
  );
});
