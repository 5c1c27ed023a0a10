import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ipOf } from '../model/ip.ts';
import { macOf } from '../model/mac.ts';
import {
  assertThrowsOnlyWireErrors,
  ipv4s,
  macs,
  record,
  u16s,
} from './arbitrary-frames.fixture.ts';
import { ArpOperation, decodeArp, encodeArp } from './arp.ts';
import { bytesOf, capturedFrame, capturedFrames } from './captured-frames.fixture.ts';
import { WireError } from './wire-error.ts';

const stations = record({ mac: macs, ip: ipv4s });
const payloadOf = (name: string) => capturedFrame(name).subarray(14);

test('a packet decodes to what was encoded', () => {
  fc.assert(
    fc.property(record({ operation: u16s, sender: stations, target: stations }), (packet) => {
      assert.deepEqual(decodeArp(encodeArp(packet)), packet);
    }),
  );
});

test('captured packets encode to themselves', () => {
  const packets = capturedFrames.filter(({ name }) => name.includes('ARP'));
  assert.equal(packets.length, 9);
  for (const { name, bytes } of packets) {
    const packet = decodeArp(bytes.subarray(14));
    assert.ok(packet !== undefined, name);
    assert.deepEqual(encodeArp(packet), bytes.slice(14), name);
  }
});

test('a probe has no sender address, and the answer to it no target address', () => {
  const prober = macOf('02:00:5e:10:00:01');
  const holder = macOf('02:00:5e:10:00:02');
  assert.deepEqual(decodeArp(payloadOf('arping -D: ARP probe of an address in use')), {
    operation: ArpOperation.request,
    sender: { mac: prober, ip: ipOf('0.0.0.0') },
    target: { mac: macOf('ff:ff:ff:ff:ff:ff'), ip: ipOf('192.0.2.2') },
  });
  assert.deepEqual(decodeArp(payloadOf("kernel's ARP reply to a probe")), {
    operation: ArpOperation.reply,
    sender: { mac: holder, ip: ipOf('192.0.2.2') },
    target: { mac: prober, ip: ipOf('0.0.0.0') },
  });
});

test('padding to the minimum frame length is ignored', () => {
  const packet = payloadOf("kernel's ARP reply");
  assert.deepEqual(decodeArp(Uint8Array.of(...packet, ...new Uint8Array(18))), decodeArp(packet));
});

test('pairings other than Ethernet and IPv4 are none of ours', () => {
  const packet = payloadOf("kernel's ARP request");
  for (const [offset, value] of [
    [1, 6],
    [2, 0x86],
    [4, 8],
    [5, 16],
  ] as const) {
    const other = packet.slice();
    other[offset] = value;
    assert.equal(decodeArp(other), undefined, `byte ${offset} set to ${value}`);
  }
});

test('a packet cut short is refused', () => {
  const packet = payloadOf("kernel's ARP request");
  for (let length = 0; length < packet.length; length++) {
    assert.throws(() => decodeArp(packet.subarray(0, length)), WireError);
  }
  assert.throws(() => decodeArp(bytesOf('0001 0800')), /ARP packet: 2 bytes wanted at offset 4/);
});

test('any bytes decode or throw a WireError', () => {
  assertThrowsOnlyWireErrors(decodeArp);
});
