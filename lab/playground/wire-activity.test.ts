import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ipOf } from '../../src/model/ip.ts';
import { macOf } from '../../src/model/mac.ts';
import { announcementFrames } from '../../src/wire/announcement.ts';
import { encodeFrame } from '../../src/wire/encode-frame.ts';
import { echoFrame, probeFrame } from '../../src/wire/probe.ts';
import { classifyFrame, type WireKind } from './wire-activity.ts';

const mac = macOf('02:00:00:00:00:01');
const to = macOf('02:00:00:00:00:02');

const families = [
  { family: 'ipv4', ip: ipOf('192.0.2.100'), source: ipOf('192.0.2.11') },
  { family: 'ipv6', ip: ipOf('2001:db8::100'), source: ipOf('2001:db8::11') },
] as const;

for (const { family, ip, source } of families) {
  test(`${family}: echoes, questions and announcements are told apart`, () => {
    const frames = [
      echoFrame({ ip, to, source, mac, identifier: 1, sequence: 1 }),
      probeFrame({ ip, mac }),
      ...announcementFrames({ ip, mac }),
    ];
    const kinds = new Set(frames.map((frame) => classifyFrame(encodeFrame(frame))));
    assert.deepEqual(kinds, new Set<WireKind>(['echoes', 'questions', 'announcements']));
  });
}

test('an answer counts for nothing, and neither does a frame cut short', () => {
  const [family] = families;
  const { kind: _, ...echo } = echoFrame({
    ...family,
    to,
    mac,
    identifier: 1,
    sequence: 1,
  });
  const reply = encodeFrame({ kind: 'echo-reply', ...echo } as Parameters<typeof encodeFrame>[0]);
  assert.equal(classifyFrame(reply), undefined);
  assert.equal(classifyFrame(reply.subarray(0, 20)), undefined);
  assert.equal(classifyFrame(new Uint8Array(0)), undefined);
});

test('a datagram is a hint: the filter lets no other pass', () => {
  const bytes = new Uint8Array(60);
  bytes.set([0x08, 0x00, 0x45], 12);
  bytes[23] = 17;
  assert.equal(classifyFrame(bytes), 'hints');
});
