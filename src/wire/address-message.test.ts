import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { anyFamily, ipsOf } from '../model/ip.fixture.ts';
import { addressBits, type Family, ipOf } from '../model/ip.ts';
import {
  type AddressMessage,
  decodeAddress,
  encodeAddress,
  encodeAddressQuery,
} from './address-message.ts';
import { survivesHostileInput } from './hostile-input.fixture.ts';
import { frames } from './netlink-frames.fixture.ts';
import { decodeMessages } from './netlink-message.ts';

function bodyOf(frame: Uint8Array): Uint8Array {
  return decodeMessages(frame)[0]?.body ?? assert.fail('no message');
}

const forEver = { validSeconds: Infinity, preferredSeconds: Infinity };

function withoutStamps(frame: Uint8Array): unknown {
  const { lifetime, ...message } = decodeAddress(bodyOf(frame)) ?? assert.fail('no address');
  if (lifetime === undefined) return message;
  const { validSeconds, preferredSeconds } = lifetime;
  return { ...message, lifetime: { validSeconds, preferredSeconds } };
}

test('reads an IPv4 address with our mark', () => {
  assert.deepEqual(withoutStamps(frames.addressOurs4), {
    linkIndex: 2,
    ip: '192.0.2.20',
    prefixLength: 24,
    flags: 0x201,
    scope: 0,
    broadcast: '192.0.2.255',
    label: 'veth1',
    protocol: 76,
    priority: 7472,
    lifetime: { validSeconds: 298, preferredSeconds: 198 },
  });
});

test('reads an IPv6 address with our mark', () => {
  assert.deepEqual(withoutStamps(frames.addressOurs6), {
    linkIndex: 2,
    ip: '2001:db8::20',
    prefixLength: 64,
    flags: 0x222,
    scope: 0,
    protocol: 76,
    priority: 7472,
    lifetime: { validSeconds: 298, preferredSeconds: 0 },
  });
});

test('reads the own end of a point-to-point address as the address', () => {
  assert.deepEqual(withoutStamps(frames.addressPeer), {
    linkIndex: 2,
    ip: '198.51.100.1',
    peer: '198.51.100.2',
    prefixLength: 32,
    flags: 0x80,
    scope: 0,
    label: 'veth1',
    lifetime: forEver,
  });
});

test('reads a label, a tentative address and one whose duplicate detection failed', () => {
  assert.equal(decodeAddress(bodyOf(frames.addressLabel))?.label, 'kube-lb0:x');
  assert.equal(decodeAddress(bodyOf(frames.addressTentative))?.flags, 0xc0);
  assert.equal(decodeAddress(bodyOf(frames.eventDadFailed))?.flags, 0x48);
});

test('reads every address of a dump of both families', () => {
  const ips = decodeMessages(frames.addressDump)
    .filter(({ type }) => type === 20)
    .map(({ body }) => decodeAddress(body)?.ip);
  assert.deepEqual(
    ips.filter((ip) => ip?.startsWith('fe80::') !== true),
    [
      '127.0.0.1',
      '192.0.2.10',
      '198.51.100.1',
      '192.0.2.20',
      '203.0.113.5',
      '::1',
      '2001:db8::20',
      '2001:db8::10',
    ],
  );
});

test('reads iproute2’s requests as our own', () => {
  const ours = {
    linkIndex: 2,
    flags: 0x200,
    scope: 0,
    priority: 7472,
    lifetime: { validSeconds: 300, preferredSeconds: 300, created: 0, updated: 0 },
  };
  const add4: AddressMessage = {
    ...ours,
    ip: ipOf('192.0.2.30'),
    prefixLength: 24,
    broadcast: ipOf('192.0.2.255'),
  };
  const add6: AddressMessage = {
    ...ours,
    ip: ipOf('2001:db8::30'),
    prefixLength: 64,
    flags: 0x202,
    lifetime: { ...ours.lifetime, preferredSeconds: 0 },
  };
  assert.deepEqual(decodeAddress(bodyOf(frames.requestAddressAdd4)), add4);
  assert.deepEqual(decodeAddress(bodyOf(frames.requestAddressAdd6)), add6);
});

test('a removal is byte for byte iproute2’s', () => {
  const body = encodeAddress({
    linkIndex: 2,
    ip: ipOf('192.0.2.30'),
    prefixLength: 24,
    flags: 0,
    scope: 0,
  });
  assert.deepEqual(body, bodyOf(frames.requestAddressRemove));
});

test('the query for all addresses is an empty header', () => {
  assert.deepEqual(encodeAddressQuery(), new Uint8Array(8));
});

const u32 = fc.integer({ min: 0, max: 0xffffffff });
const seconds = fc.oneof(fc.constant(Infinity), fc.integer({ min: 0, max: 0xfffffffe }));

function messagesOf(family: Family): fc.Arbitrary<AddressMessage> {
  const ip = ipsOf(family);
  return fc
    .record(
      {
        linkIndex: u32,
        ip,
        prefixLength: fc.nat(addressBits[family]),
        flags: u32,
        scope: fc.nat(255),
        peer: ip,
        broadcast: ip,
        label: fc.string({ unit: fc.constantFrom(...'abc-0:ü'), maxLength: 15 }),
        lifetime: fc.record(
          { validSeconds: seconds, preferredSeconds: seconds, created: u32, updated: u32 },
          { noNullPrototype: true },
        ),
        protocol: fc.nat(255),
        priority: u32,
        others: fc.array(
          fc.record(
            { type: fc.integer({ min: 12, max: 0x3fff }), value: fc.uint8Array({ maxLength: 20 }) },
            { noNullPrototype: true },
          ),
          { minLength: 1, maxLength: 3 },
        ),
      },
      {
        requiredKeys: ['linkIndex', 'ip', 'prefixLength', 'flags', 'scope'],
        noNullPrototype: true,
      },
    )
    .filter((message) => message.peer !== message.ip);
}

test('any address survives encoding and decoding, with attributes nobody knows', () => {
  fc.assert(
    fc.property(anyFamily.chain(messagesOf), (message) => {
      assert.deepEqual(decodeAddress(encodeAddress(message)), message);
    }),
  );
});

test('flags beyond the header’s eight bits are not lost', () => {
  const plain = { linkIndex: 1, ip: ipOf('192.0.2.1'), prefixLength: 32, scope: 0 };
  for (const flags of [0x80, 0xff, 0x100, 0x202]) {
    assert.equal(decodeAddress(encodeAddress({ ...plain, flags }))?.flags, flags);
  }
});

test('lifetimes are rounded up to whole seconds and never read as for ever', () => {
  const encoded = encodeAddress({
    linkIndex: 1,
    ip: ipOf('192.0.2.1'),
    prefixLength: 32,
    flags: 0,
    scope: 0,
    lifetime: { validSeconds: 1.2, preferredSeconds: -3, created: 0, updated: 0 },
  });
  assert.deepEqual(decodeAddress(encoded)?.lifetime, {
    validSeconds: 2,
    preferredSeconds: 0,
    created: 0,
    updated: 0,
  });
});

test('other families are not addresses to us', () => {
  assert.equal(decodeAddress(Uint8Array.of(28, 0, 0, 0, 1, 0, 0, 0)), undefined);
});

test('impossible addresses are malformed', () => {
  const cases = [
    [[2, 33, 0, 0, 1, 0, 0, 0], 'address message: prefix length 33'],
    [[2, 24, 0, 0, 1, 0, 0, 0], 'address message: no address in it'],
    [
      [10, 64, 0, 0, 1, 0, 0, 0, 8, 0, 1, 0, 192, 0, 2, 1],
      'address message: 192.0.2.1 in a message for ipv6',
    ],
  ] as const;
  for (const [bytes, message] of cases) {
    assert.throws(() => decodeAddress(Uint8Array.from(bytes)), { code: 'WIRE_MALFORMED', message });
  }
});

test('hostile bytes decode or throw a WireError', () => {
  survivesHostileInput(decodeAddress, [bodyOf(frames.addressOurs4), bodyOf(frames.addressOurs6)]);
});
