import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ipOf } from '../model/ip.ts';
import { macOf } from '../model/mac.ts';
import { assertThrowsOnlyWireErrors, ipv6s, macs, record } from './arbitrary-frames.fixture.ts';
import { bytesOf, capturedFrame, capturedFrames } from './captured-frames.fixture.ts';
import { decodeIcmp } from './icmp.ts';
import { decodeIpv6 } from './ipv6.ts';
import { isMulticastIpv6 } from './multicast.ts';
import { decodeNdp, encodeNdp, type NdpMessage } from './ndp.ts';

const targets = ipv6s.filter((ip) => !isMulticastIpv6(ip));
const options = fc.array(record({ kind: fc.constant('target-mac' as const), mac: macs }));
const messages: fc.Arbitrary<NdpMessage> = fc.oneof(
  record({ kind: fc.constant('solicitation' as const), target: targets, options }),
  record({
    kind: fc.constant('advertisement' as const),
    isRouter: fc.boolean(),
    isSolicited: fc.boolean(),
    overrides: fc.boolean(),
    target: targets,
    options,
  }),
);

const around = { source: ipOf('2001:db8::1'), destination: ipOf('2001:db8::2'), hopLimit: 255 };
const solicitation: NdpMessage = {
  kind: 'solicitation',
  target: ipOf('2001:db8::2'),
  options: [{ kind: 'source-mac', mac: macOf('02:00:5e:10:00:01') }],
};
const advertisement: NdpMessage = {
  kind: 'advertisement',
  isRouter: false,
  isSolicited: true,
  overrides: true,
  target: ipOf('2001:db8::2'),
  options: [{ kind: 'target-mac', mac: macOf('02:00:5e:10:00:02') }],
};

function readCaptured(name: string) {
  const packet = decodeIpv6(capturedFrame(name).subarray(14));
  const icmp = decodeIcmp(packet.payload, packet);
  return { icmp, message: decodeNdp(icmp, packet) };
}

test('a message decodes to what was encoded', () => {
  fc.assert(
    fc.property(messages, (message) => {
      assert.deepEqual(decodeNdp(encodeNdp(message), around), message);
    }),
  );
});

test('captured messages encode to themselves', () => {
  const names = capturedFrames
    .map(({ name }) => name)
    .filter((name) => /advertisement|neighbour solicitation|duplicate/.test(name));
  assert.equal(names.length, 8);
  for (const name of names) {
    const { icmp, message } = readCaptured(name);
    assert.ok(message !== undefined, name);
    assert.deepEqual(encodeNdp(message), icmp, name);
  }
});

test('the flags of an advertisement are router, solicited and override', () => {
  const { message } = readCaptured("a router's solicited advertisement");
  assert.deepEqual(message, { ...advertisement, isRouter: true });
});

test('the nonce of duplicate address detection is kept', () => {
  const { message } = readCaptured("kernel's duplicate address detection, with a nonce");
  assert.deepEqual(message, {
    kind: 'solicitation',
    target: ipOf('2001:db8::2'),
    options: [{ kind: 'other', type: 14, value: bytesOf('3320f66fc248') }],
  });
});

test('other ICMPv6 messages are none of ours', () => {
  assert.equal(readCaptured("kernel's router solicitation").message, undefined);
});

test('what RFC 4861 7.1 forbids is refused', () => {
  const group = ipOf('ff02::1:ff00:2');
  const probe = { ...around, source: ipOf('::'), destination: group };
  const bare = { ...solicitation, options: [] };
  const refuses = (message: NdpMessage, packet: typeof around, why: string, code = 0) =>
    assert.throws(
      () => decodeNdp({ ...encodeNdp(message), code }, packet),
      new RegExp(`^WireError: NDP message: ${why}`),
    );
  for (const message of [solicitation, advertisement]) {
    refuses(message, { ...around, hopLimit: 254 }, 'hop limit is 254');
    refuses(message, around, 'code is 1', 1);
    refuses({ ...message, target: group }, around, 'target is multicast');
  }
  refuses(advertisement, { ...around, destination: group }, 'solicited, yet sent to a group');
  refuses(bare, { ...probe, destination: ipOf('ff02::1') }, 'probe not sent to a solicited-node');
  refuses(bare, { ...probe, destination: ipOf('2001:db8::2') }, 'probe not sent to a solicited-');
  refuses(solicitation, probe, 'probe with a source link-layer address');
  assert.deepEqual(decodeNdp(encodeNdp(bare), probe), bare);
});

test('a message of less than 24 bytes is refused', () => {
  const icmp = encodeNdp({ ...solicitation, options: [] });
  for (let length = 0; length < 20; length++) {
    const cut = { ...icmp, body: icmp.body.subarray(0, length) };
    assert.throws(() => decodeNdp(cut, around), /^WireError: NDP message: \d+ bytes wanted/);
  }
});

test('any bytes decode or throw a WireError', () => {
  for (const type of [135, 136]) {
    assertThrowsOnlyWireErrors((body) => decodeNdp({ type, code: 0, body }, around));
  }
});
