import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addressKey, isHeldByUs } from './address.ts';
import { ipOf } from './ip.ts';

test('an address is named by itself, its prefix length and its link', () => {
  for (const [text, prefixLength] of [
    ['192.0.2.1', 24],
    ['2001:db8::1', 64],
  ] as const) {
    const key = { link: 'eth0', ip: ipOf(text), prefixLength };
    assert.equal(addressKey(key), `${text}/${prefixLength}@eth0`);
  }
});

test('the same address on another link or with another length is another', () => {
  const key = { link: 'eth0', ip: ipOf('192.0.2.1'), prefixLength: 24 };
  const names = [key, { ...key, link: 'eth1' }, { ...key, prefixLength: 32 }].map(addressKey);
  assert.equal(new Set(names).size, 3);
});

test('what another host was found to have is not held by us, nor is what others put there', () => {
  assert.equal(isHeldByUs({ isOurs: true, hasFailedDad: false }), true);
  assert.equal(isHeldByUs({ isOurs: true, hasFailedDad: true }), false);
  assert.equal(isHeldByUs({ isOurs: false, hasFailedDad: false }), false);
});
