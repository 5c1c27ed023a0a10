import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { macOf } from '../model/mac.ts';
import {
  anyFrameBytes,
  assertThrowsOnlyWireErrors,
  macs,
  payloads,
  record,
  u16s,
} from './arbitrary-frames.fixture.ts';
import { bytesOf } from './captured-frames.fixture.ts';
import { decodeEthernet, EtherType, encodeEthernet } from './ethernet.ts';
import { WireError } from './wire-error.ts';

const tags = record({
  protocol: fc.constantFrom(EtherType.vlan, EtherType.serviceVlan),
  priority: fc.nat(7),
  dropEligible: fc.boolean(),
  vlan: fc.nat(0xfff),
});
const frames = record({
  destination: macs,
  source: macs,
  tags: fc.array(tags, { maxLength: 3 }),
  etherType: u16s.filter((type) => type !== EtherType.vlan && type !== EtherType.serviceVlan),
  payload: payloads,
});

test('a frame decodes to what was encoded', () => {
  fc.assert(
    fc.property(frames, (frame) => {
      assert.deepEqual(decodeEthernet(encodeEthernet(frame)), frame);
    }),
  );
});

test('any bytes that decode encode to themselves', () => {
  fc.assert(
    fc.property(anyFrameBytes, (bytes) => {
      fc.pre(bytes.length >= 14 && !isCutInsideTag(bytes));
      assert.deepEqual(encodeEthernet(decodeEthernet(bytes)), bytes);
    }),
  );
});

test('the type behind two tags is the type of the payload', () => {
  const bytes = bytesOf('ffffffffffff 02005e100001 88a8 6064 8100 1007 0806 0001');
  assert.deepEqual(decodeEthernet(bytes), {
    destination: macOf('ff:ff:ff:ff:ff:ff'),
    source: macOf('02:00:5e:10:00:01'),
    tags: [
      { protocol: EtherType.serviceVlan, priority: 3, dropEligible: false, vlan: 100 },
      { protocol: EtherType.vlan, priority: 0, dropEligible: true, vlan: 7 },
    ],
    etherType: EtherType.arp,
    payload: bytesOf('0001'),
  });
});

test('a frame cut inside its header or a tag is refused by name', () => {
  for (const hex of [
    '',
    '02005e1000',
    'ffffffffffff02005e1000010',
    'ffffffffffff02005e1000018100ab',
  ]) {
    assert.throws(
      () => decodeEthernet(bytesOf(hex)),
      (error) => error instanceof WireError && error.message.startsWith('Ethernet frame: '),
    );
  }
});

test('any bytes decode or throw a WireError', () => {
  assertThrowsOnlyWireErrors(decodeEthernet);
});

function isCutInsideTag(bytes: Uint8Array): boolean {
  try {
    decodeEthernet(bytes);
    return false;
  } catch {
    return true;
  }
}
