import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ipOf } from '../model/ip.ts';
import { allNodes, isMulticastIpv6, multicastMac, solicitedNodeAddress } from './multicast.ts';

test('the solicited-node group ends in the last three bytes of the address (RFC 4291 2.7.1)', () => {
  const group = (ip: string) => solicitedNodeAddress(ipOf(ip));
  assert.equal(group('4037::1:800:200e:8c6c'), 'ff02::1:ff0e:8c6c');
  assert.equal(group('2001:db8::1'), 'ff02::1:ff00:1');
  assert.equal(group('ff02::1:ff0e:8c6c'), 'ff02::1:ff0e:8c6c');
});

test("a group's MAC ends in the last four bytes of its address (RFC 2464 7)", () => {
  assert.equal(multicastMac(allNodes), '33:33:00:00:00:01');
  assert.equal(multicastMac(ipOf('ff02::1:ff0e:8c6c')), '33:33:ff:0e:8c:6c');
});

test('multicast is what begins with the byte ff', () => {
  assert.deepEqual(
    ['ff02::1', 'ff0e::', 'ff::1', 'fe80::1', '2001:db8::ff'].map((ip) =>
      isMulticastIpv6(ipOf(ip)),
    ),
    [true, true, false, false, false],
  );
});
