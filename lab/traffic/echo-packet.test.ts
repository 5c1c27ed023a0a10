import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { answerTo, decodeAnswer, encodeRequest } from './echo-packet.ts';

const u32 = fc.integer({ min: 0, max: 2 ** 32 - 1 });

test('an answer says which packet it answers and who answers it', () => {
  fc.assert(
    fc.property(
      u32,
      u32,
      fc.integer({ min: 8, max: 1400 }),
      fc.string(),
      (run, number, size, who) => {
        const request = encodeRequest({ run, number }, size);
        assert.equal(request.length, size);
        const responder = Buffer.from(who).toString('utf8');
        assert.deepEqual(decodeAnswer(answerTo(request, who)), { run, number, responder });
      },
    ),
  );
});

test('bytes that are too short are no answer', () => {
  assert.equal(decodeAnswer(new Uint8Array(7)), undefined);
});
