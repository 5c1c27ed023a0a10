import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ipOf } from '../model/ip.ts';
import type { NextHop } from '../model/route.ts';
import { ByteWriter } from './byte-writer.ts';
import { AttributeReader, putAttribute } from './netlink-attributes.ts';
import {
  decodeNextHopAttribute,
  encodeNextHops,
  type NextHopDraft,
  nextHopsFrom,
} from './next-hop.ts';

const RTA_GATEWAY = 5;
const RTA_MULTIPATH = 9;
const RTA_VIA = 18;

function decode(bytes: Uint8Array): readonly NextHop[] {
  const draft: NextHopDraft = {};
  const attributes = new AttributeReader(bytes, 0, 'route');
  while (attributes.next()) decodeNextHopAttribute(attributes, draft);
  return nextHopsFrom(draft);
}

function roundTrip(hops: readonly NextHop[]): readonly NextHop[] {
  const writer = new ByteWriter();
  encodeNextHops(writer, 'ipv4', hops);
  return decode(writer.finish());
}

function attribute(type: number, value: readonly number[]): Uint8Array {
  const writer = new ByteWriter();
  putAttribute(writer, type, Uint8Array.from(value));
  return writer.finish();
}

const cases: readonly (readonly [string, readonly NextHop[]])[] = [
  ['no way out', []],
  ['a link', [{ linkIndex: 3, weight: 1 }]],
  ['a gateway on any link', [{ gateway: ipOf('192.0.2.1'), weight: 1 }]],
  ['a gateway of the other family', [{ gateway: ipOf('2001:db8::1'), linkIndex: 3, weight: 1 }]],
  ['a single hop with a weight', [{ linkIndex: 3, weight: 7 }]],
  [
    'several hops',
    [
      { gateway: ipOf('192.0.2.1'), weight: 256 },
      { linkIndex: 4, gateway: ipOf('2001:db8::1'), weight: 1 },
    ],
  ],
];

for (const [name, hops] of cases) {
  test(`${name} survives encoding and decoding`, () => assert.deepEqual(roundTrip(hops), hops));
}

test('one plain hop is written without a list', () => {
  const writer = new ByteWriter();
  encodeNextHops(writer, 'ipv4', [{ linkIndex: 3, weight: 1 }]);
  assert.deepEqual([...writer.finish()], [8, 0, 4, 0, 3, 0, 0, 0]);
});

test('a gateway of the other family has its own attribute, which names the family', () => {
  const typesOf = (gateway: string) => {
    const writer = new ByteWriter();
    encodeNextHops(writer, 'ipv4', [{ gateway: ipOf(gateway), weight: 1 }]);
    const attributes = new AttributeReader(writer.finish(), 0, 'route');
    attributes.next();
    return attributes.type;
  };
  assert.deepEqual([typesOf('192.0.2.1'), typesOf('2001:db8::1')], [RTA_GATEWAY, RTA_VIA]);
});

test('a next hop that is shorter than itself is malformed', () => {
  assert.throws(() => decode(attribute(RTA_MULTIPATH, [7, 0, 0, 0, 1, 0, 0, 0])), {
    code: 'WIRE_MALFORMED',
    message: 'next hop claims to be 7 bytes long',
  });
  assert.throws(() => decode(attribute(RTA_MULTIPATH, [16, 0, 0, 0, 1, 0, 0, 0])), {
    code: 'WIRE_TRUNCATED',
  });
});

test('a gateway must be IPv4 or IPv6 and of its length', () => {
  for (const value of [
    [28, 0, 1, 2, 3, 4],
    [2, 0, 1, 2, 3],
    [10, 0, 1, 2, 3, 4],
  ]) {
    assert.throws(() => decode(attribute(RTA_VIA, value)), {
      code: 'WIRE_MALFORMED',
      message: 'next hop: RTA_VIA is neither IPv4 nor IPv6',
    });
  }
});
