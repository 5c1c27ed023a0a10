import assert from 'node:assert/strict';
import fc from 'fast-check';
import { WireError } from './wire-error.ts';

/** Runs a decoder on noise, and on every truncation and many bit flips of good samples: a value or a WireError. */
export function survivesHostileInput(
  decode: (bytes: Uint8Array) => unknown,
  samples: readonly Uint8Array[],
): void {
  fc.assert(fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => attempt(decode, bytes)));
  for (const sample of samples) {
    for (let length = 0; length < sample.length; length++)
      attempt(decode, sample.subarray(0, length));
  }
  fc.assert(
    fc.property(fc.constantFrom(...samples), flips, (sample, changes) => {
      const bytes = sample.slice();
      for (const { at, xor } of changes)
        bytes[at % bytes.length] = (bytes[at % bytes.length] ?? 0) ^ xor;
      attempt(decode, bytes);
    }),
    { numRuns: 2000 },
  );
}

const flips = fc.array(fc.record({ at: fc.nat(4096), xor: fc.integer({ min: 1, max: 255 }) }), {
  minLength: 1,
  maxLength: 4,
});

function attempt(decode: (bytes: Uint8Array) => unknown, bytes: Uint8Array): void {
  try {
    decode(bytes);
  } catch (error) {
    assert.ok(error instanceof WireError, `${error} is no WireError`);
  }
}
