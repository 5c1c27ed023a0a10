import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { survivesHostileInput } from '../hostile-input.fixture.ts';
import { decodeMessages } from '../netlink-message.ts';
import { guardChains } from './guard-table.ts';
import { decodeChain, encodeChain, type NftChain } from './nft-chain.ts';
import { sent, told } from './nft-frames.fixture.ts';

function bodyOf(frame: Uint8Array): Uint8Array {
  return decodeMessages(frame)[0]?.body ?? assert.fail('no message');
}

test('the guard’s chains are made as nft makes them', () => {
  assert.deepEqual(guardChains.map(encodeChain), [sent.chainGuarded, sent.chainInput].map(bodyOf));
});

test('chains are read as the kernel tells of them', () => {
  assert.deepEqual(
    told.chains.map((frame) => decodeChain(bodyOf(frame))),
    guardChains,
  );
});

test('any chain survives encoding and decoding', () => {
  const text = fc.string({ unit: fc.constantFrom(...'input-ü'), maxLength: 20 });
  const number = fc.integer({ min: 0, max: 0xffffffff });
  const base = fc.record(
    {
      type: text,
      hook: number,
      priority: fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }),
      policy: number,
    },
    { noNullPrototype: true },
  );
  const chain: fc.Arbitrary<NftChain> = fc.record(
    { table: text, name: text, base },
    { requiredKeys: ['table', 'name'], noNullPrototype: true },
  );
  fc.assert(fc.property(chain, (one) => assert.deepEqual(decodeChain(encodeChain(one)), one)));
});

test('hostile bytes decode or throw a WireError', () => {
  survivesHostileInput(decodeChain, told.chains.map(bodyOf));
});
