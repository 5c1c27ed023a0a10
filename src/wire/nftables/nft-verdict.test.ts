import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ByteWriter } from '../byte-writer.ts';
import { putAttribute, putNested } from '../netlink-attributes.ts';
import { NftAttributes, putNumber } from './nft-attributes.ts';
import { NF_DROP, NFT_JUMP, putVerdict, readVerdict, type Verdict } from './nft-verdict.ts';

function read(fill: (writer: ByteWriter) => void): Verdict | undefined {
  const writer = new ByteWriter();
  fill(writer);
  return readVerdict(new NftAttributes(writer.finish(), 0, 'immediate'));
}

test('verdicts survive encoding and decoding', () => {
  for (const verdict of [{ code: NF_DROP }, { code: NFT_JUMP, chain: 'guarded' }]) {
    assert.deepEqual(
      read((writer) => putVerdict(writer, verdict)),
      verdict,
    );
  }
});

test('data for a register is no verdict', () => {
  for (const register of [0, 1]) {
    const found = read((writer) => {
      putNumber(writer, 1, register);
      putNested(writer, 2, () => putAttribute(writer, 1, Uint8Array.of(1, 2, 3, 4)));
    });
    assert.equal(found, undefined);
  }
});
