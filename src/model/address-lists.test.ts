import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  encodeAllocatedPrefixes,
  encodeMoves,
  parseAddresses,
  parseAllocatedPrefixes,
  parseMoves,
} from './address-lists.ts';
import { anyPrefix } from './ip.fixture.ts';
import { ipOf } from './ip.ts';
import { isProblem } from './parsed.ts';

test('wished addresses are read with or without blanks, each once', () => {
  const rows: readonly (readonly [text: string, ...ips: string[]])[] = [
    ['192.0.2.7', '192.0.2.7'],
    ['192.0.2.7,2001:DB8::7', '192.0.2.7', '2001:db8::7'],
    [' 2001:db8::7 , 192.0.2.7 ', '2001:db8::7', '192.0.2.7'],
    ['192.0.2.7,,192.0.2.7,', '192.0.2.7'],
    [''],
    [' , '],
  ];
  for (const [text, ...ips] of rows)
    assert.deepEqual(parseAddresses(text, ''), { value: ips }, text);
});

test('every wished address that is none is named', () => {
  assert.deepEqual(parseAddresses('192.0.2.7,x,::ffff:192.0.2.8,192.0.2.0/24', 'p'), {
    problems: [
      { path: 'p', message: '"x" is not an IP address' },
      { path: 'p', message: '"::ffff:192.0.2.8" is IPv4 written as IPv6: write 192.0.2.8' },
      {
        path: 'p',
        message: '"192.0.2.0/24" is not an IP address: leave out the prefix length after "/"',
      },
    ],
  });
});

test('moves name an address and a node', () => {
  assert.equal(encodeMoves([{ ip: ipOf('192.0.2.7'), node: 'node2' }]), '192.0.2.7=node2');
  assert.deepEqual(parseMoves('192.0.2.7=node2, 2001:db8::7 = node3', ''), {
    value: [
      { ip: '192.0.2.7', node: 'node2' },
      { ip: '2001:db8::7', node: 'node3' },
    ],
  });
  for (const text of ['192.0.2.7', '192.0.2.7=', '192.0.2.7=a=b', '=node2', 'x=node2']) {
    assert.ok(isProblem(parseMoves(text, '')), text);
  }
});

test('prefixes of allocated addresses are written and read back', () => {
  const text = '192.0.2.7/24,2001:db8::7/64';
  assert.equal(encodeAllocatedPrefixes(parseAllocatedPrefixes(text)), text);
  assert.deepEqual(parseAllocatedPrefixes('x,192.0.2.7'), []);
  fc.assert(
    fc.property(fc.array(anyPrefix, { maxLength: 20 }), (prefixes) => {
      assert.deepEqual(parseAllocatedPrefixes(encodeAllocatedPrefixes(prefixes)), prefixes);
    }),
  );
});

test('any text is read or refused', () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.string({ unit: fc.constantFrom(...'192.0:=,/ n') }),
    fc.constant('192.0.2.7,'.repeat(1_000_000)),
  );
  fc.assert(
    fc.property(text, (any) => {
      for (const parse of [parseAddresses, parseMoves]) {
        const parsed = parse(any, '');
        assert.ok('problems' in parsed || Array.isArray(parsed.value));
      }
      parseAllocatedPrefixes(any);
    }),
  );
});
