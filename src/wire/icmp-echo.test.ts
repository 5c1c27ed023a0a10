import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { payloads, record, u16s } from './arbitrary-frames.fixture.ts';
import { bytesOf, capturedFrame } from './captured-frames.fixture.ts';
import { decodeIcmp } from './icmp.ts';
import { decodeEcho, encodeEcho } from './icmp-echo.ts';
import { decodeIpv4 } from './ipv4.ts';
import { decodeIpv6 } from './ipv6.ts';

const echoes = record({
  kind: fc.constantFrom('echo-request' as const, 'echo-reply' as const),
  identifier: u16s,
  sequence: u16s,
  data: payloads,
});

const packets = {
  ipv4: decodeIpv4(capturedFrame("kernel's ICMP echo reply").subarray(14)),
  ipv6: decodeIpv6(capturedFrame("kernel's ICMPv6 echo reply").subarray(14)),
};

for (const family of ['ipv4', 'ipv6'] as const) {
  const message = decodeIcmp(packets[family].payload, packets[family]);

  test(`an echo decodes to what was encoded (${family})`, () => {
    fc.assert(
      fc.property(echoes, (echo) => {
        assert.deepEqual(decodeEcho(encodeEcho(echo, family), family), echo);
      }),
    );
  });

  test(`a captured echo is read right and encodes to itself (${family})`, () => {
    const echo = decodeEcho(message, family);
    assert.deepEqual(echo, {
      kind: 'echo-reply',
      identifier: { ipv4: 17, ipv6: 18 }[family],
      sequence: 1,
      data: bytesOf('0001020304050607'),
    });
    assert.deepEqual(encodeEcho(echo, family), message);
  });

  test(`other types are none of ours, another code is malformed (${family})`, () => {
    assert.equal(decodeEcho({ ...message, type: 3 }, family), undefined);
    assert.throws(
      () => decodeEcho({ ...message, code: 1 }, family),
      /^WireError: echo-reply of code 1$/,
    );
    assert.throws(() => decodeEcho({ ...message, body: bytesOf('001100') }, family), /ICMP echo: /);
  });
}
