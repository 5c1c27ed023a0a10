import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ipOf } from '../model/ip.ts';
import type { AddressMessage } from '../wire/address-message.ts';
import { heldAddress } from './held-address.ts';

const message: AddressMessage = {
  linkIndex: 2,
  ip: ipOf('192.0.2.1'),
  prefixLength: 24,
  flags: 0,
  scope: 0,
};

test('an address without anything special is permanent, global and foreign', () => {
  assert.deepEqual(heldAddress(message, 'eth0'), {
    linkIndex: 2,
    link: 'eth0',
    ip: '192.0.2.1',
    prefixLength: 24,
    validSeconds: Infinity,
    preferredSeconds: Infinity,
    noPrefixRoute: false,
    isOurs: false,
    isSecondary: false,
    isTentative: false,
    isDeprecated: false,
    hasFailedDad: false,
    scope: 'global',
  });
});

const ip6 = ipOf('2001:db8::1');
const lifetime = { validSeconds: 9, preferredSeconds: 3, created: 0, updated: 0 };
const cases: readonly (readonly [string, Partial<AddressMessage>, object])[] = [
  ['lifetimes', { lifetime }, { validSeconds: 9, preferredSeconds: 3 }],
  ['our mark', { protocol: 76 }, { isOurs: true }],
  ['secondary', { flags: 0x01 }, { isSecondary: true }],
  ['a temporary IPv6 address, which has the same flag', { ip: ip6, flags: 0x01 }, {}],
  ['tentative', { ip: ip6, flags: 0x40 }, { isTentative: true }],
  ['optimistic, which answers already', { ip: ip6, flags: 0x44 }, { isTentative: false }],
  ['deprecated', { flags: 0x20 }, { isDeprecated: true }],
  ['failed DAD', { flags: 0x48 }, { hasFailedDad: true, isTentative: true }],
  ['no prefix route', { flags: 0x280 }, { noPrefixRoute: true }],
  ['link scope', { scope: 253 }, { scope: 'link' }],
  ['a scope of the user’s own', { scope: 77 }, { scope: 'global' }],
];

for (const [name, more, expected] of cases) {
  test(`reads ${name}`, () => {
    const address = { ...message, ...more };
    const plain = heldAddress({ ...message, ip: address.ip }, 'eth0');
    assert.deepEqual(heldAddress(address, 'eth0'), { ...plain, ...expected });
  });
}
