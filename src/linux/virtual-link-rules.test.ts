import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { HeldAddress } from '../model/address.ts';
import { ipOf } from '../model/ip.ts';
import type { Link } from '../model/link.ts';
import { heldAddress } from './held-address.ts';
import { mayRemove, noLinkDriver, refuseOtherKinds } from './virtual-link-rules.ts';

function link(kind?: string): Link {
  return {
    index: 5,
    name: 'kube-lb0',
    ...(kind !== undefined && { kind }),
    mtu: 1500,
    isUp: true,
    hasCarrier: true,
    operState: 'unknown',
    isLoopback: false,
    isNoArp: true,
  };
}

function address(more: Partial<HeldAddress> = {}): HeldAddress {
  const message = { linkIndex: 5, ip: ipOf('192.0.2.1'), prefixLength: 32, flags: 0, scope: 0 };
  return { ...heldAddress(message, 'kube-lb0'), ...more };
}

test('dummy, ifb and bridge are used as they are', () => {
  for (const kind of ['dummy', 'ifb', 'bridge']) refuseOtherKinds(link(kind));
});

test('another kind of link is refused with what to do about it', () => {
  assert.throws(() => refuseOtherKinds(link('veth')), {
    name: 'VirtualLinkError',
    code: 'LINK_KIND_REFUSED',
    message:
      'link kube-lb0 exists and is of kind veth, but must be one of dummy, ifb, bridge: choose another name, or remove that link',
  });
  assert.throws(() => refuseOtherKinds(link()), /exists and is a physical link/);
});

test('a kernel without drivers is named as such', () => {
  assert.equal(noLinkDriver('kube-lb0').code, 'NO_LINK_DRIVER');
});

test('only what could have been created is removed, and not while others use it', () => {
  const cases = [
    [link('dummy'), [], true],
    [link('ifb'), [address({ isOurs: true })], true],
    [link('ifb'), [address({ scope: 'link' })], true],
    [link('ifb'), [address({ linkIndex: 6 })], true],
    [link('ifb'), [address()], false],
    [link('bridge'), [], false],
    [link(), [], false],
  ] as const;
  for (const [candidate, addresses, expected] of cases) {
    assert.equal(mayRemove(candidate, addresses), expected);
  }
});
