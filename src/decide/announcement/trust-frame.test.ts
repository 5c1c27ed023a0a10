import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ipOf } from '../../model/ip.ts';
import { type Mac, macOf } from '../../model/mac.ts';
import type { NeighbourFrame } from '../../model/neighbour-frame.ts';
import type { Identities } from './identities.ts';
import { isTrustworthy } from './trust-frame.ts';

const node1 = macOf('02:00:00:00:00:01');
const node1Second = macOf('02:00:00:00:00:11');
const node2 = macOf('02:00:00:00:00:02');
const stranger = macOf('02:00:00:00:00:0a');
const virtual = macOf('00:00:5e:00:01:07');

const identities: Identities = new Map([
  [node1, 'node1'],
  [node1Second, 'node1'],
  [node2, 'node2'],
]);

const to = macOf('02:00:00:00:00:ff');

function framesOf(from: Mac, named: Mac): readonly NeighbourFrame[] {
  const ipv4 = {
    sender: { ip: ipOf('192.0.2.100'), mac: named },
    target: { ip: ipOf('192.0.2.100'), mac: to },
  };
  const probe = {
    sender: { ip: ipOf('0.0.0.0'), mac: named },
    target: { ip: ipOf('192.0.2.100'), mac: to },
  };
  const ipv6 = {
    source: ipOf('2001:db8::100'),
    destination: ipOf('ff02::1'),
    target: ipOf('2001:db8::100'),
  };
  const flags = { isRouter: false, isSolicited: false, overrides: true };
  return [
    { kind: 'arp', from, to, operation: 'reply', ...ipv4 },
    { kind: 'arp', from, to, operation: 'request', ...ipv4 },
    { kind: 'arp', from, to, operation: 'request', ...probe },
    { kind: 'neighbour-advertisement', from, to, ...ipv6, ...flags, targetMac: named },
    { kind: 'neighbour-solicitation', from, to, ...ipv6, sourceMac: named },
  ];
}

const verdicts = (from: Mac, named: Mac, known: Identities | undefined = identities) => [
  ...new Set(framesOf(from, named).map((frame) => isTrustworthy(frame, known))),
];

test('a frame whose content names its own sender is taken for what it says', () => {
  for (const mac of [node1, stranger]) assert.deepEqual(verdicts(mac, mac), [true]);
  assert.deepEqual(verdicts(stranger, stranger, undefined), [true]);
});

test('a frame in which a stranger, or another member, speaks in the name of a member is refused', () => {
  assert.deepEqual(verdicts(stranger, node1), [false]);
  assert.deepEqual(verdicts(node2, node1), [false]);
  assert.deepEqual(verdicts(node1, stranger), [false]);
});

test('a member may send with one card what names another of its cards, as bonds do', () => {
  assert.deepEqual(verdicts(node1Second, node1), [true]);
});

test('a router with a virtual MAC that is no member stays a stranger that can be reported', () => {
  assert.deepEqual(verdicts(stranger, virtual), [true]);
});

test('while the members are not known every mismatch is refused', () => {
  for (const [from, named] of [
    [stranger, node1],
    [node1Second, node1],
    [stranger, virtual],
  ] as const) {
    assert.equal(
      framesOf(from, named).some((frame) => isTrustworthy(frame, undefined)),
      false,
    );
  }
});

test('an advertisement without a link-layer option is its Ethernet sender’s', () => {
  const [, , , advertisement] = framesOf(stranger, node1);
  assert.ok(advertisement?.kind === 'neighbour-advertisement');
  const { targetMac: _, ...bare } = advertisement;
  assert.equal(isTrustworthy(bare, identities), true);
});
