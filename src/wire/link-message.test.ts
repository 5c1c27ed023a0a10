import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { survivesHostileInput } from './hostile-input.fixture.ts';
import {
  decodeLink,
  encodeLink,
  IFF_UP,
  isAboutLink,
  type LinkMessage,
  linkFromMessage,
} from './link-message.ts';
import { frames } from './netlink-frames.fixture.ts';
import { decodeMessages } from './netlink-message.ts';

function bodyOf(frame: Uint8Array): Uint8Array {
  return decodeMessages(frame)[0]?.body ?? assert.fail('no message');
}

function linkOf(frame: Uint8Array): unknown {
  const { mac, ...link } = linkFromMessage(decodeLink(bodyOf(frame)));
  return { ...link, hasMac: mac !== undefined };
}

test('reads the loopback link, whose zero address is none', () => {
  assert.deepEqual(linkOf(frames.linkLoopback), {
    index: 1,
    name: 'lo',
    hasMac: false,
    mtu: 65536,
    isUp: true,
    hasCarrier: true,
    operState: 'unknown',
    isLoopback: true,
    isNoArp: false,
  });
});

test('reads a bridge port', () => {
  assert.deepEqual(linkOf(frames.linkPort), {
    index: 3,
    name: 'veth0',
    kind: 'veth',
    hasMac: true,
    mtu: 1500,
    isUp: true,
    hasCarrier: true,
    operState: 'up',
    isLoopback: false,
    isNoArp: false,
    masterIndex: 4,
  });
});

test('reads an ifb, which answers no ARP', () => {
  assert.deepEqual(linkOf(frames.linkIfb), {
    index: 5,
    name: 'kube-lb0',
    kind: 'ifb',
    hasMac: true,
    mtu: 1500,
    isUp: true,
    hasCarrier: true,
    operState: 'unknown',
    isLoopback: false,
    isNoArp: true,
  });
});

test('a port that leaves its bridge is not a link that goes', () => {
  const port = decodeLink(bodyOf(frames.eventPortLeft));
  assert.deepEqual([port.name, isAboutLink(port)], ['veth0', false]);
  const removed = decodeLink(bodyOf(frames.eventLinkRemoved));
  assert.deepEqual([removed.name, isAboutLink(removed)], ['ifb7', true]);
});

test('requests say what iproute2’s say', () => {
  const add = decodeLink(bodyOf(frames.requestLinkAdd));
  assert.deepEqual(decodeLink(encodeLink({ name: 'ifb8', kind: 'ifb' })), add);
  const up = encodeLink({ index: 7, flags: IFF_UP, changedFlags: IFF_UP });
  assert.deepEqual(
    { ...decodeLink(up), index: 0 },
    { ...decodeLink(bodyOf(frames.requestLinkUp)), index: 0 },
  );
  assert.equal(encodeLink({ index: 7 }).length, bodyOf(frames.requestLinkRemove).length);
});

test('any link survives encoding and decoding', () => {
  const u32 = fc.integer({ min: 0, max: 0xffffffff });
  const text = fc.string({ unit: fc.constantFrom(...'eth0-.@ü'), maxLength: 15 });
  const message: fc.Arbitrary<LinkMessage> = fc.record(
    {
      family: fc.nat(255),
      index: u32,
      flags: u32,
      changedFlags: u32,
      name: text,
      mtu: u32,
      hardwareAddress: fc.uint8Array({ maxLength: 20 }),
      operState: fc.nat(255),
      hasCarrier: fc.boolean(),
      masterIndex: u32,
      kind: text,
      filter: u32,
    },
    { requiredKeys: ['family', 'index', 'flags', 'changedFlags'], noNullPrototype: true },
  );
  fc.assert(
    fc.property(message, (value) => assert.deepEqual(decodeLink(encodeLink(value)), value)),
  );
});

test('a link without a name is malformed; unknown states and odd addresses are tolerated', () => {
  const bare = { family: 0, index: 9, flags: 0, changedFlags: 0 };
  assert.throws(() => linkFromMessage(bare), {
    code: 'WIRE_MALFORMED',
    message: 'link 9 has no name',
  });
  const odd = { ...bare, name: 'sit0', operState: 99, hardwareAddress: Uint8Array.of(1, 2, 3, 4) };
  assert.deepEqual(linkFromMessage(odd), {
    index: 9,
    name: 'sit0',
    mtu: 0,
    isUp: false,
    hasCarrier: false,
    operState: 'unknown',
    isLoopback: false,
    isNoArp: false,
  });
});

test('hostile bytes decode or throw a WireError', () => {
  survivesHostileInput(
    (bytes) => linkFromMessage(decodeLink(bytes)),
    [bodyOf(frames.linkPort), bodyOf(frames.linkIfb)],
  );
});
