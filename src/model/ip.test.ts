import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { anyFamily, anyIp, anyText, valuesOf } from './ip.fixture.ts';
import {
  abbreviate,
  addressBits,
  compareIps,
  familyOf,
  ipFromBigInt,
  ipFromBytes,
  ipFromBytesAt,
  ipOf,
  ipToBigInt,
  ipToBytes,
  isIpv4Mapped,
  parseIp,
  unmapIpv4,
} from './ip.ts';
import { isProblem } from './parsed.ts';

/** Text as written → canonical text; the IPv6 rows are those of RFC 5952, sections 1, 2 and 4. */
const canonical: readonly (readonly [written: string, canonical: string])[] = [
  ['192.0.2.1', '192.0.2.1'],
  ['0.0.0.0', '0.0.0.0'],
  ['255.255.255.255', '255.255.255.255'],
  ['2001:db8:0:0:1:0:0:1', '2001:db8::1:0:0:1'],
  ['2001:0db8:0:0:1:0:0:1', '2001:db8::1:0:0:1'],
  ['2001:db8::1:0:0:1', '2001:db8::1:0:0:1'],
  ['2001:db8::0:1:0:0:1', '2001:db8::1:0:0:1'],
  ['2001:0db8::1:0:0:1', '2001:db8::1:0:0:1'],
  ['2001:db8:0:0:1::1', '2001:db8::1:0:0:1'],
  ['2001:db8:0000:0:1::1', '2001:db8::1:0:0:1'],
  ['2001:DB8:0:0:1::1', '2001:db8::1:0:0:1'],
  ['2001:db8:aaaa:bbbb:cccc:dddd:eeee:0001', '2001:db8:aaaa:bbbb:cccc:dddd:eeee:1'],
  ['2001:db8:aaaa:bbbb:cccc:dddd::1', '2001:db8:aaaa:bbbb:cccc:dddd:0:1'],
  ['2001:db8:0:0:0::1', '2001:db8::1'],
  ['2001:db8:0:1:1:1:1:1', '2001:db8:0:1:1:1:1:1'],
  ['2001:db8::1:1:1:1:1', '2001:db8:0:1:1:1:1:1'],
  ['2001:0:0:1:0:0:0:1', '2001:0:0:1::1'],
  ['2001:db8:0:0:1:0:0:0', '2001:db8:0:0:1::'],
  ['2001:DB8:AAAA:BBBB:CCCC:DDDD:EEEE:AAAA', '2001:db8:aaaa:bbbb:cccc:dddd:eeee:aaaa'],
  ['0:0:0:0:0:0:0:0', '::'],
  ['0:0:0:0:0:0:0:1', '::1'],
  ['2001:db8:1:2:3:4:5::', '2001:db8:1:2:3:4:5:0'],
  ['::db8:1:2:3:4:5:6', '0:db8:1:2:3:4:5:6'],
  ['::192.0.2.33', '::c000:221'],
  ['64:ff9b::192.0.2.33', '64:ff9b::c000:221'],
  ['2001:db8:1:2:3:4:192.0.2.33', '2001:db8:1:2:3:4:c000:221'],
  ['::ffff:c000:221', '::ffff:192.0.2.33'],
  ['::ffff:0:0', '::ffff:0.0.0.0'],
];

test('every way to write an address becomes its one canonical text', () => {
  for (const [written, expected] of canonical) {
    assert.deepEqual(parseIp(written), { value: expected }, written);
  }
});

const refused: readonly (readonly [text: string, message: string])[] = [
  ['', '"" is not an IP address: it is empty'],
  ['192.0.2', '"192.0.2" is not an IP address'],
  ['192.0.2.1.1', '"192.0.2.1.1" is not an IP address'],
  ['192.0.2.256', '"192.0.2.256" is not an IP address'],
  ['192.0.2.-1', '"192.0.2.-1" is not an IP address'],
  ['192.0.2.1e1', '"192.0.2.1e1" is not an IP address'],
  ['192.0.2.010', '"192.0.2.010" is not an IP address: leave out leading zeros'],
  ['192.0.2.1/24', '"192.0.2.1/24" is not an IP address: leave out the prefix length after "/"'],
  [' 192.0.2.1', '" 192.0.2.1" is not an IP address: remove the blanks around it'],
  ['١٩٢.0.2.1', '"١٩٢.0.2.1" is not an IP address'],
  ['2001:db8::1%eth0', '"2001:db8::1%eth0" is not an IP address: leave out the zone after "%"'],
  ['2001:db8::1\n', '"2001:db8::1\ufffd" is not an IP address: remove the blanks around it'],
  ['2001:db8', '"2001:db8" is not an IP address'],
  ['2001:db8::1::2', '"2001:db8::1::2" is not an IP address'],
  [':::', '":::" is not an IP address'],
  ['2001:db8:1:2:3:4:5', '"2001:db8:1:2:3:4:5" is not an IP address'],
  ['2001:db8:1:2:3:4:5:', '"2001:db8:1:2:3:4:5:" is not an IP address'],
  [':1:2:3:4:5:6:7:8', '":1:2:3:4:5:6:7:8" is not an IP address'],
  ['2001:db8:1:2:3:4:5:6:7', '"2001:db8:1:2:3:4:5:6:7" is not an IP address'],
  ['2001:db8::1:2:3:4:5:6', '"2001:db8::1:2:3:4:5:6" is not an IP address'],
  ['2001:db8::12345', '"2001:db8::12345" is not an IP address'],
  ['2001:db8::g', '"2001:db8::g" is not an IP address'],
  ['192.0.2.1::', '"192.0.2.1::" is not an IP address'],
  ['::192.0.2.1:1', '"::192.0.2.1:1" is not an IP address'],
  ['::192.0.2.256', '"::192.0.2.256" is not an IP address'],
];

test('what is not an address is refused with a hint where there is one', () => {
  for (const [text, message] of refused) {
    assert.deepEqual(parseIp(text, 'spec.ip'), { problems: [{ path: 'spec.ip', message }] }, text);
  }
});

test('over-long text is neither taken apart nor echoed', () => {
  const parsed = parseIp('1:'.repeat(5_000_000));
  assert.deepEqual(parsed, {
    problems: [{ path: '', message: `"${'1:'.repeat(29)}1…" is not an IP address` }],
  });
});

test('an address known to be right is its text; a wrong one throws', () => {
  assert.equal(ipOf('2001:DB8::1'), '2001:db8::1');
  assert.throws(() => ipOf('nonsense'), new TypeError('"nonsense" is not an IP address'));
});

test('bytes of any other length than 4 and 16 are no address', () => {
  assert.throws(() => ipFromBytes(new Uint8Array(5)), /has 4 or 16 bytes, not 5/);
});

test('bytes are read from where they lie inside a packet', () => {
  const packet = Uint8Array.from([9, 9, 192, 0, 2, 7, ...ipToBytes(ipOf('2001:db8::7'))]);
  assert.equal(ipFromBytes(packet.subarray(2, 6)), '192.0.2.7');
  assert.equal(ipFromBytes(packet.subarray(6)), '2001:db8::7');
});

test('text that was never parsed has no bytes', () => {
  assert.throws(() => ipToBytes('nonsense' as ReturnType<typeof ipOf>), /not a canonical IP/);
});

test('a number outside the family has no address', () => {
  for (const family of ['ipv4', 'ipv6'] as const) {
    const end = 1n << BigInt(addressBits[family]);
    assert.equal(ipToBigInt(ipFromBigInt(family, end - 1n)), end - 1n);
    assert.throws(() => ipFromBigInt(family, end), RangeError);
    assert.throws(() => ipFromBigInt(family, -1n), RangeError);
  }
});

test('an IPv4-mapped address is known for what it is', () => {
  assert.equal(isIpv4Mapped(ipOf('::ffff:192.0.2.1')), true);
  assert.equal(unmapIpv4(ipOf('::ffff:192.0.2.1')), '192.0.2.1');
  for (const text of ['192.0.2.1', '::192.0.2.1', '::ffff:0:c000:201', '2001:db8::1']) {
    assert.equal(isIpv4Mapped(ipOf(text)), false, text);
    assert.equal(unmapIpv4(ipOf(text)), ipOf(text));
  }
});

test('addresses sort by number, IPv4 first', () => {
  const sorted = ['0.0.0.0', '192.0.2.9', '192.0.2.10', '255.255.255.255', '::', '2001:db8::1'];
  const texts = [...sorted, '2001:db8::a', '2001:db8:0:0:1::', 'ff02::1'].map(ipOf);
  assert.deepEqual(texts.toReversed().sort(compareIps), texts);
});

test('any text parses or is refused, and canonical text stays as it is', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const parsed = parseIp(text);
      if (!isProblem(parsed)) assert.deepEqual(parseIp(parsed.value), parsed);
    }),
    { numRuns: 2000 },
  );
});

test('text, bytes and number are the same address', () => {
  fc.assert(
    fc.property(
      anyFamily.chain((family) => fc.tuple(fc.constant(family), valuesOf(family))),
      ([family, value]) => {
        const ip = ipFromBigInt(family, value);
        assert.equal(familyOf(ip), family);
        assert.equal(ipToBigInt(ip), value);
        assert.equal(ipFromBytes(ipToBytes(ip)), ip);
        assert.deepEqual(parseIp(ip), { value: ip });
        assert.deepEqual(parseIp(ip.toUpperCase()), { value: ip });
      },
    ),
    { numRuns: 2000 },
  );
});

test('the order is total and that of the numbers', () => {
  const sign = (number: bigint) => (number < 0n ? -1 : number > 0n ? 1 : 0);
  fc.assert(
    fc.property(anyIp, anyIp, (left, right) => {
      assert.equal(compareIps(left, left), 0);
      assert.equal(compareIps(left, right), -compareIps(right, left) + 0);
      if (familyOf(left) === familyOf(right)) {
        assert.equal(compareIps(left, right), sign(ipToBigInt(left) - ipToBigInt(right)));
      } else {
        assert.equal(compareIps(left, right), familyOf(left) === 'ipv4' ? -1 : 1);
      }
    }),
    { numRuns: 2000 },
  );
});

test('abbreviated text is short, well-formed and on one line', () => {
  assert.equal(abbreviate('short'), 'short');
  assert.equal(abbreviate('a\nb\u2028c\u001b[31m'), 'a\ufffdb\ufffdc\ufffd[31m');
  assert.equal(abbreviate('x'.repeat(61)), `${'x'.repeat(59)}…`);
  assert.equal(abbreviate('😀😀', 4), '😀😀');
  assert.equal(abbreviate('😀😀', 2), '\ufffd…');
});

test('an address inside a packet is read in place', () => {
  fc.assert(
    fc.property(anyIp, fc.nat(20), (ip, start) => {
      const packet = new Uint8Array(40).fill(0xee);
      const bytes = ipToBytes(ip);
      packet.set(bytes, start);
      assert.equal(ipFromBytesAt(packet, start, bytes.length), ip);
    }),
  );
});
