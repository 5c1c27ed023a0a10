import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ipOf } from '../model/ip.ts';
import { macOf } from '../model/mac.ts';
import type { NeighbourFrame } from '../model/neighbour-frame.ts';
import { anyFrameBytes, neighbourFrames, u16s } from './arbitrary-frames.fixture.ts';
import { runBpf } from './bpf-interpreter.fixture.ts';
import { bytesOf, capturedFrame, capturedFrames } from './captured-frames.fixture.ts';
import { decodeFrame } from './decode-frame.ts';
import { encodeFrame } from './encode-frame.ts';
import { echoFilter, neighbourFilter } from './socket-filter.ts';
import { WireError } from './wire-error.ts';

const keptWhole = 0x40000;

const echoReply: NeighbourFrame = {
  kind: 'echo-reply',
  from: macOf('02:00:00:00:00:02'),
  to: macOf('02:00:00:00:00:01'),
  source: ipOf('192.0.2.2'),
  destination: ipOf('192.0.2.1'),
  identifier: 1,
  sequence: 7,
};

interface Packet {
  readonly bytes: Uint8Array;
  readonly packetType?: number;
  readonly vlanTag?: number;
}

/** What each of the two sockets gets. */
function keptOf(packet: Packet, identifier: number): readonly number[] {
  return [neighbourFilter(), echoFilter(identifier)].map((filter) => runBpf(filter, packet));
}

/** What the filters are for: every kind of frame but echo requests; of the echo replies only our own, on a socket apart. */
function wantedOf(frame: NeighbourFrame | undefined, identifier: number): readonly number[] {
  if (frame === undefined || frame.kind === 'echo-request') return [0, 0];
  if (frame.kind !== 'echo-reply') return [keptWhole, 0];
  return [0, frame.identifier === identifier ? keptWhole : 0];
}

function decodeIfValid(bytes: Uint8Array): NeighbourFrame | undefined | 'malformed' {
  try {
    return decodeFrame(bytes);
  } catch (error) {
    assert.ok(error instanceof WireError);
    return 'malformed';
  }
}

test('lets through exactly what is for us, of all valid frames', () => {
  fc.assert(
    fc.property(neighbourFrames, u16s, fc.boolean(), (frame, other, isOurs) => {
      const identifier = 'identifier' in frame && isOurs ? frame.identifier : other;
      const kept = keptOf({ bytes: encodeFrame(frame) }, identifier);
      assert.deepEqual(kept, wantedOf(frame, identifier));
    }),
    { numRuns: 500 },
  );
});

test('of the captured frames, those of our kinds pass', () => {
  const kept = capturedFrames.map(({ bytes }) => keptOf({ bytes }, 22));
  const wanted = capturedFrames.map(({ bytes }) => wantedOf(decodeFrame(bytes), 22));
  assert.deepEqual(kept, wanted);
  assert.equal(kept.filter((each) => each.includes(keptWhole)).length, 18);
});

test('whatever the bytes, nothing valid that is for us is dropped', () => {
  fc.assert(
    fc.property(anyFrameBytes, fc.constantFrom(17, 18, 22), (bytes, identifier) => {
      const frame = decodeIfValid(bytes);
      const isInnerTag = bytes[12] === 0x81 || bytes[12] === 0x88;
      fc.pre(frame !== 'malformed' && !isInnerTag);
      const kept = keptOf({ bytes }, identifier);
      const wanted = wantedOf(frame, identifier);
      // The filter reads no checksum and no ARP operation; all else that it keeps must be for us.
      if (wanted.includes(keptWhole) || bytes[13] !== 0x06) assert.deepEqual(kept, wanted);
    }),
    { numRuns: 2000 },
  );
});

const received = [
  { bytes: capturedFrame("kernel's ARP reply"), index: 0 },
  { bytes: encodeFrame(echoReply), index: 1 },
];

test('what we send ourselves does not come back', () => {
  for (const { bytes, index } of received) {
    const kept = [0, 1, 2, 3, 4].map((packetType) => keptOf({ bytes, packetType }, 1)[index]);
    assert.deepEqual(kept, [keptWhole, keptWhole, keptWhole, keptWhole, 0]);
  }
});

test('frames of a VLAN are dropped although the kernel has taken their tag off', () => {
  for (const { bytes, index } of received) {
    const kept = [100, 0xafff, 0xa000, 0].map((vlanTag) => keptOf({ bytes, vlanTag }, 1)[index]);
    assert.deepEqual(kept, [0, 0, keptWhole, keptWhole]);
  }
});

test('they are programs of 16 and 26 instructions', () => {
  const programs = [neighbourFilter(), echoFilter(0x1234)];
  assert.deepEqual(
    programs.map(({ length }) => length / 8),
    [16, 26],
  );
  for (const program of programs) {
    assert.deepEqual(program.slice(0, 8), bytesOf('2000 0000 04f0ffff'));
  }
});
