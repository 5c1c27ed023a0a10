import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ipOf } from '../model/ip.ts';
import { macOf } from '../model/mac.ts';
import type { NeighbourFrame } from '../model/neighbour-frame.ts';
import { addWords, checksumOf } from './checksum.ts';
import { decodeFrame } from './decode-frame.ts';
import { EchoExchange } from './echo-exchange.ts';
import { encodeFrame } from './encode-frame.ts';
import { echoFrame } from './probe.ts';

const mac = macOf('02:00:5e:10:00:01');
const to = macOf('02:00:5e:10:00:02');
const paths = {
  ipv4: { ip: ipOf('192.0.2.2'), source: ipOf('192.0.2.1') },
  ipv6: { ip: ipOf('2001:db8::2'), source: ipOf('2001:db8::1') },
};
const u16 = fc.integer({ min: 0, max: 0xffff });
const either = fc.constantFrom('ipv4' as const, 'ipv6' as const);

function replyTo(probe: Parameters<typeof echoFrame>[0]): Uint8Array {
  const { from, to: asked, source, destination, ...rest } = echoFrame(probe);
  const back = { from: asked, to: from, source: destination, destination: source };
  return encodeFrame({ ...rest, ...back, kind: 'echo-reply' });
}

/** Undefined also for what is not valid. */
function decoded(frame: Uint8Array): NeighbourFrame | undefined {
  try {
    return decodeFrame(frame);
  } catch {
    return undefined;
  }
}

test('each question is the frame that it would be if it were made anew', () => {
  fc.assert(
    fc.property(either, u16, fc.array(u16, { minLength: 1 }), (family, identifier, sequences) => {
      const probe = { ...paths[family], mac, to, identifier };
      const exchange = new EchoExchange(probe);
      for (const sequence of sequences) {
        const whole = encodeFrame(echoFrame({ ...probe, sequence }));
        assert.deepEqual(exchange.ask(sequence), whole);
      }
    }),
  );
});

test('a reply is recognised, padded or not, and tells its sequence', () => {
  fc.assert(
    fc.property(either, u16, u16, fc.nat(20), (family, identifier, sequence, padding) => {
      const probe = { ...paths[family], mac, to, identifier };
      const reply = replyTo({ ...probe, sequence });
      const frame = new Uint8Array(reply.length + padding);
      frame.set(reply);
      assert.equal(EchoExchange.sequenceIn(frame), sequence);
      assert.deepEqual(new EchoExchange(probe).recognise(frame), decodeFrame(frame));
    }),
  );
});

type Changes = readonly (readonly [at: number, bits: number])[];

function spoil(frame: Uint8Array, changes: Changes): void {
  for (const [at, bits] of changes) {
    if (at < frame.length) frame[at] = (frame[at] ?? 0) ^ bits;
  }
}

test('what is recognised is what it would be if it were taken apart, whatever became of it', () => {
  const change = fc.tuple(fc.nat(61), fc.constantFrom(0, 1, 2, 4, 8, 16, 32, 64, 128, 255));
  const changes = fc.array(change, { minLength: 1, maxLength: 2 });
  const found = { unlike: 0 };
  const check = (family: 'ipv4' | 'ipv6', sequence: number, all: Changes, length: number) => {
    const probe = { ...paths[family], mac, to, identifier: 4711 };
    const whole = replyTo({ ...probe, sequence });
    spoil(whole, all);
    const frame = length % 4 === 0 ? whole.subarray(0, length) : whole;
    const reply = new EchoExchange(probe).recognise(frame);
    if (reply === undefined) found.unlike += 1;
    else assert.deepEqual(reply, decoded(frame));
  };
  fc.assert(fc.property(either, u16, changes, fc.nat(62), check), { numRuns: 3_000 });
  assert.ok(found.unlike > 1_000);
});

test('a fragment is no reply', () => {
  const probe = { ...paths.ipv4, mac, to, identifier: 1 };
  const exchange = new EchoExchange(probe);
  for (const [at, bits, isWhole] of [
    [20, 0x40, true],
    [20, 0x20, false],
    [21, 0x01, false],
  ] as const) {
    const frame = replyTo({ ...probe, sequence: 7 });
    frame.set([0, 0], 20);
    frame[at] = bits;
    frame.set([0, 0], 24);
    const checksum = checksumOf(addWords(frame.subarray(14, 34)));
    frame.set([checksum >> 8, checksum & 0xff], 24);
    assert.equal(exchange.recognise(frame) !== undefined, isWhole);
    assert.equal(decodeFrame(frame) !== undefined, isWhole);
  }
});

test('neither another host, nor another address, nor another asker is taken for the one asked', () => {
  for (const family of ['ipv4', 'ipv6'] as const) {
    const probe = { ...paths[family], mac, to, identifier: 1 };
    const exchange = new EchoExchange(probe);
    const others = [
      { to: macOf('02:00:5e:10:00:03') },
      { mac: macOf('02:00:5e:10:00:03') },
      { ip: ipOf(family === 'ipv4' ? '192.0.2.3' : '2001:db8::3') },
      { source: ipOf(family === 'ipv4' ? '192.0.2.3' : '2001:db8::3') },
      { identifier: 2 },
    ];
    const found = others.map((other) =>
      exchange.recognise(replyTo({ ...probe, ...other, sequence: 7 })),
    );
    assert.deepEqual(found, [undefined, undefined, undefined, undefined, undefined]);
    assert.equal(exchange.recognise(exchange.ask(7)), undefined);
  }
});
