import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ipOf } from '../model/ip.ts';
import { describeAddress } from './describe-address.ts';
import { heldAddress } from './held-address.ts';

test('an address is one line, with what is special about it', () => {
  const message = { linkIndex: 2, ip: ipOf('192.0.2.10'), prefixLength: 24, flags: 0, scope: 0 };
  const plain = heldAddress(message, 'eth0');
  assert.equal(describeAddress(plain), 'eth0: 192.0.2.10/24 foreign forever');
  const special = {
    ...plain,
    isOurs: true,
    validSeconds: 300,
    noPrefixRoute: true,
    isSecondary: true,
    isDeprecated: true,
    isTentative: true,
    hasFailedDad: true,
  };
  assert.equal(
    describeAddress(special),
    'eth0: 192.0.2.10/24 ours 300s noprefixroute secondary deprecated tentative dadfailed',
  );
});
