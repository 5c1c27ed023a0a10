/** Random values and random bytes for the tests of the frame codecs. */

import assert from 'node:assert/strict';
import fc from 'fast-check';
import { type Ip, ipFromBytes } from '../model/ip.ts';
import { isGroupMac, macFromBytes } from '../model/mac.ts';
import { type NeighbourFrame, unspecifiedIp, unspecifiedMac } from '../model/neighbour-frame.ts';
import { capturedFrames } from './captured-frames.fixture.ts';
import { isMulticastIpv6, solicitedNodeAddress } from './multicast.ts';
import { WireError } from './wire-error.ts';

/** `fc.record` of plain objects, which alone are deeply equal to decoded ones. */
export function record<T>(model: { [Key in keyof T]: fc.Arbitrary<T[Key]> }): fc.Arbitrary<T> {
  return fc.record(model, { noNullPrototype: true });
}

const bytesOfLength = (length: number) => fc.uint8Array({ minLength: length, maxLength: length });

export const macs = bytesOfLength(6).map(macFromBytes);
/** Of hosts: neither a group nor none. */
export const hostMacs = macs.filter((mac) => !isGroupMac(mac) && mac !== unspecifiedMac);
export const ipv4s = bytesOfLength(4).map(ipFromBytes);
export const ipv6s = bytesOfLength(16).map(ipFromBytes);
export const u8s = fc.nat(0xff);
export const u16s = fc.nat(0xffff);
export const payloads = fc.uint8Array({ maxLength: 64 });

const unicastIpv6s = ipv6s.filter((ip) => !isMulticastIpv6(ip) && ip !== unspecifiedIp.ipv6);
const stations = record({ ip: ipv4s, mac: macs });
const senders = record({ ip: ipv4s, mac: hostMacs });
const envelope = { from: hostMacs, to: macs };

const arpFrames = record({
  kind: fc.constant('arp' as const),
  ...envelope,
  operation: fc.constantFrom('request' as const, 'reply' as const),
  sender: senders,
  target: stations,
});

const solicitations = fc.record(
  {
    kind: fc.constant('neighbour-solicitation' as const),
    ...envelope,
    source: unicastIpv6s,
    destination: ipv6s,
    target: unicastIpv6s,
    sourceMac: hostMacs,
  },
  {
    noNullPrototype: true,
    requiredKeys: ['kind', 'from', 'to', 'source', 'destination', 'target'],
  },
);

const duplicateDetections = record({
  kind: fc.constant('neighbour-solicitation' as const),
  ...envelope,
  target: unicastIpv6s,
}).map((frame) => ({
  ...frame,
  source: unspecifiedIp.ipv6,
  destination: solicitedNodeAddress(frame.target),
}));

const advertisements = fc
  .record(
    {
      kind: fc.constant('neighbour-advertisement' as const),
      ...envelope,
      source: unicastIpv6s,
      destination: ipv6s,
      target: unicastIpv6s,
      targetMac: hostMacs,
      isRouter: fc.boolean(),
      isSolicited: fc.boolean(),
      overrides: fc.boolean(),
    },
    {
      noNullPrototype: true,
      requiredKeys: [
        ...(['kind', 'from', 'to', 'source', 'destination', 'target'] as const),
        ...(['isRouter', 'isSolicited', 'overrides'] as const),
      ],
    },
  )
  .filter((frame) => !(frame.isSolicited && isMulticastIpv6(frame.destination)));

const echoesOf = (ips: fc.Arbitrary<Ip>) =>
  record({
    kind: fc.constantFrom('echo-request' as const, 'echo-reply' as const),
    ...envelope,
    source: ips,
    destination: ips,
    identifier: u16s,
    sequence: u16s,
  });

/** Every valid frame that we can say. */
export const neighbourFrames: fc.Arbitrary<NeighbourFrame> = fc.oneof(
  arpFrames,
  solicitations,
  duplicateDetections,
  advertisements,
  echoesOf(ipv4s),
  echoesOf(ipv6s),
);

const captured = fc.constantFrom(...capturedFrames.map(({ bytes }) => bytes));
const truncations = fc
  .tuple(captured, fc.double({ min: 0, max: 1, noNaN: true }))
  .map(([bytes, share]) => bytes.slice(0, Math.floor(bytes.length * share)));
const bitFlips = fc
  .tuple(captured, fc.array(fc.tuple(fc.nat(1000), fc.nat(7)), { minLength: 1, maxLength: 4 }))
  .map(([bytes, flips]) => {
    const flipped = bytes.slice();
    for (const [place, bit] of flips) {
      const index = place % flipped.length;
      flipped[index] = (flipped[index] ?? 0) ^ (1 << bit);
    }
    return flipped;
  });

/** Captured frames whole, cut short and with bits flipped, and bytes that were never a frame. */
export const anyFrameBytes: fc.Arbitrary<Uint8Array> = fc.oneof(
  captured,
  truncations,
  bitFlips,
  fc.uint8Array({ maxLength: 120 }),
);

/** Asserts that `decode` returns something or throws a WireError, whatever the bytes. */
export function assertThrowsOnlyWireErrors(decode: (bytes: Uint8Array) => unknown): void {
  fc.assert(
    fc.property(fc.oneof(fc.uint8Array({ maxLength: 120 }), innerBytes), (bytes) => {
      try {
        decode(bytes);
      } catch (error) {
        assert.ok(error instanceof WireError, String(error));
      }
    }),
    { numRuns: 1000 },
  );
}

/** Pieces of frames that begin at any layer. */
const innerBytes = fc
  .tuple(anyFrameBytes, fc.constantFrom(0, 14, 34, 38, 54, 58, 78))
  .map(([bytes, start]) => bytes.slice(start));
