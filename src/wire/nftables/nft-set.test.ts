import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { survivesHostileInput } from '../hostile-input.fixture.ts';
import { decodeMessages } from '../netlink-message.ts';
import { decodeGuardKey } from './guard-keys.ts';
import { guardSets } from './guard-table.ts';
import { sent, told } from './nft-frames.fixture.ts';
import {
  decodeElements,
  decodeSet,
  encodeElements,
  encodeSet,
  mostKeys,
  type NftSet,
} from './nft-set.ts';

function bodyOf(frame: Uint8Array): Uint8Array {
  return decodeMessages(frame)[0]?.body ?? assert.fail('no message');
}

const { addresses4, addresses6, ports4, ports6 } = guardSets;
const sets: readonly NftSet[] = [addresses4, addresses6, ports4, ports6];
const setsSent = [sent.setAddresses4, sent.setAddresses6, sent.setPorts4, sent.setPorts6];
const elementsSent = {
  addresses4: sent.elementsAddresses4,
  addresses6: sent.elementsAddresses6,
  ports4: sent.elementsPorts4,
  ports6: sent.elementsPorts6,
};
const keys = {
  addresses4: ['192.0.2.100', '192.0.2.101'],
  addresses6: ['2001:db8::100'],
  ports4: ['192.0.2.100 6 80', '192.0.2.101 17 53'],
  ports6: ['2001:db8::100 132 5060'],
};

test('the guard’s sets are made as nft makes them, but for its notes to itself', () => {
  for (const [index, set] of sets.entries()) {
    const encoded = encodeSet(set, index + 1);
    const expected = bodyOf(setsSent[index] ?? new Uint8Array());
    assert.deepEqual(encoded, expected.slice(0, encoded.length), set.name);
    assert.deepEqual(decodeSet(expected), set);
  }
});

test('sets are read as the kernel tells of them', () => {
  const found = told.sets.map((frame) => decodeSet(bodyOf(frame)));
  assert.deepEqual(found, sets);
});

for (const name of ['addresses4', 'addresses6', 'ports4', 'ports6'] as const) {
  test(`the keys of ${name} are read, from nft and from the kernel`, () => {
    for (const frame of [elementsSent[name], told[name]]) {
      const { table, set, keys: found } = decodeElements(bodyOf(frame));
      assert.deepEqual(
        [table, set, found.map(decodeGuardKey).sort()],
        ['purelb', name, keys[name]],
      );
    }
  });
}

test('any elements survive encoding and decoding', () => {
  const key = fc.uint8Array({ minLength: 1, maxLength: 24 });
  fc.assert(
    fc.property(fc.array(key), (found) => {
      const elements = { table: 'purelb', set: 'ports4', keys: found };
      assert.deepEqual(decodeElements(encodeElements(elements)), elements);
    }),
  );
});

test('a message with as many of the longest keys as are allowed is whole', () => {
  const many = Array.from({ length: mostKeys }, () => new Uint8Array(24).fill(7));
  const elements = { table: 'purelb', set: 'ports6', keys: many };
  assert.deepEqual(decodeElements(encodeElements(elements)), elements);
  const tooMany = [...many, new Uint8Array(24)];
  assert.throws(() => encodeElements({ ...elements, keys: tooMany }), RangeError);
});

test('hostile bytes decode or throw a WireError', () => {
  survivesHostileInput(decodeSet, told.sets.map(bodyOf));
  survivesHostileInput(decodeElements, [told.ports6, told.addresses4].map(bodyOf));
});
