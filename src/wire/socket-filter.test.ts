import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { NeighbourFrame } from '../model/neighbour-frame.ts';
import { anyFrameBytes, neighbourFrames, u16s } from './arbitrary-frames.fixture.ts';
import { runBpf } from './bpf-interpreter.fixture.ts';
import { bytesOf, capturedFrame, capturedFrames } from './captured-frames.fixture.ts';
import { decodeFrame } from './decode-frame.ts';
import { encodeFrame } from './encode-frame.ts';
import { neighbourFilter } from './socket-filter.ts';
import { WireError } from './wire-error.ts';

const keptWhole = 0x40000;

/** What the filter is for: every kind of frame but echo requests, and of the echo replies only our own. */
function isForUs(frame: NeighbourFrame | undefined, identifier: number): boolean {
  if (frame === undefined || frame.kind === 'echo-request') return false;
  return frame.kind !== 'echo-reply' || frame.identifier === identifier;
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
      const kept = runBpf(neighbourFilter(identifier), { bytes: encodeFrame(frame) });
      assert.equal(kept, isForUs(frame, identifier) ? keptWhole : 0);
    }),
    { numRuns: 500 },
  );
});

test('of the captured frames, those of our kinds pass', () => {
  const passed = capturedFrames.filter(
    ({ bytes }) => runBpf(neighbourFilter(22), { bytes }) === keptWhole,
  );
  const expected = capturedFrames.filter(({ bytes }) => isForUs(decodeFrame(bytes), 22));
  assert.deepEqual(passed, expected);
  assert.equal(passed.length, 18);
});

test('whatever the bytes, nothing valid that is for us is dropped', () => {
  fc.assert(
    fc.property(anyFrameBytes, fc.constantFrom(17, 18, 22), (bytes, identifier) => {
      const frame = decodeIfValid(bytes);
      const isInnerTag = bytes[12] === 0x81 || bytes[12] === 0x88;
      fc.pre(frame !== 'malformed' && !isInnerTag);
      const isKept = runBpf(neighbourFilter(identifier), { bytes }) !== 0;
      if (isForUs(frame, identifier)) assert.ok(isKept);
      // The filter reads no checksum and no ARP operation; all else that it keeps must be for us.
      else if (bytes[13] !== 0x06) assert.ok(!isKept);
    }),
    { numRuns: 2000 },
  );
});

test('what we send ourselves does not come back', () => {
  const bytes = capturedFrame("kernel's ARP reply");
  const packetTypes = [0, 1, 2, 3, 4];
  assert.deepEqual(
    packetTypes.map((packetType) => runBpf(neighbourFilter(1), { bytes, packetType })),
    [keptWhole, keptWhole, keptWhole, keptWhole, 0],
  );
});

test('frames of a VLAN are dropped although the kernel has taken their tag off', () => {
  const bytes = capturedFrame("kernel's ARP reply");
  const kept = (vlanTag: number) => runBpf(neighbourFilter(1), { bytes, vlanTag });
  assert.deepEqual([kept(100), kept(0xafff), kept(0xa000), kept(0)], [0, 0, keptWhole, keptWhole]);
});

test('is a program of 29 instructions', () => {
  const program = neighbourFilter(0x1234);
  assert.equal(program.length / 8, 29);
  assert.deepEqual(program.slice(0, 8), bytesOf('2000 0000 04f0ffff'));
});
