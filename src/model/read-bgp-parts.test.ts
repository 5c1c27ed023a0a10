import assert from 'node:assert/strict';
import { test } from 'node:test';
import { read } from './cursor.ts';
import { isProblem, must } from './parsed.ts';
import {
  parseIpOrPrefix,
  readFamilyName,
  readGracefulRestart,
  readPolicies,
  readWord,
  warnInert,
} from './read-bgp-parts.ts';

test('families are ours in any case, theirs by name, or unknown', () => {
  assert.equal(must(read('IPv4-Unicast', readFamilyName)), 'ipv4-unicast');
  const rows = [
    ['rtc', 'rtc is not carried out: remove it, we advertise ipv4-unicast and ipv6-unicast'],
    [
      'ipv4unicast',
      '"ipv4unicast" is not one of ipv4-unicast, ipv6-unicast: did you mean ipv4-unicast?',
    ],
  ] as const;
  for (const [family, message] of rows) {
    assert.deepEqual(read(family, readFamilyName), {
      problems: [{ path: '', message }],
      warnings: [],
    });
  }
});

test('graceful restart has 120 seconds unless told otherwise', () => {
  assert.equal(must(read(undefined, readGracefulRestart)), undefined);
  assert.deepEqual(must(read({ enabled: true, restartTime: 0 }, readGracefulRestart)), {
    isEnabled: true,
    restartSeconds: 120,
    isHelperOnly: false,
  });
});

test('policies are applied in their order', () => {
  const applied = { importPolicy: { name: 'in', policies: ['a', 'b'], defaultAction: '' } };
  assert.deepEqual(must(read(applied, readPolicies)), {
    import: { policies: ['a', 'b'], defaultAction: undefined },
    export: undefined,
  });
});

test('an empty word is none', () => {
  assert.equal(must(read('', (cursor) => readWord(cursor, ['a']))), undefined);
  assert.ok(isProblem(read('b', (cursor) => readWord(cursor, ['a']))));
});

test('what has no effect is warned of only where it is given', () => {
  const reading = read({ a: 1 }, (root) => warnInert(root.fields('a', 'b')));
  assert.deepEqual(
    reading.warnings.map(({ path }) => path),
    ['a'],
  );
});

test('an address or a network is kept as text', () => {
  assert.deepEqual(parseIpOrPrefix('192.0.2.1', ''), { value: '192.0.2.1' });
  assert.deepEqual(parseIpOrPrefix('2001:db8::/64', ''), { value: '2001:db8::/64' });
  assert.ok(isProblem(parseIpOrPrefix('192.0.2.0/33', '')));
});
