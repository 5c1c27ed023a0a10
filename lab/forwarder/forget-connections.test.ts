import assert from 'node:assert/strict';
import { test } from 'node:test';
import { encodeForgetting } from './forget-connections.ts';

test('a request to forget names the mark in network order, with a full mask', () => {
  assert.equal(
    Buffer.from(encodeForgetting(0x102)).toString('hex'),
    [
      '24000000',
      '02010100',
      '00000000',
      '00000000',
      '00000000',
      '08000800',
      '00000102',
      '08001500',
      'ffffffff',
    ].join(''),
  );
});
