import assert from 'node:assert/strict';
import { test } from 'node:test';
import { survivesHostileInput } from './hostile-input.fixture.ts';
import { frames } from './netlink-frames.fixture.ts';
import { decodeMessages, NLM_F_ACK_TLVS, NLMSG_DONE, NLMSG_ERROR } from './netlink-message.ts';
import { decodeStatus, type NetlinkStatus } from './netlink-status.ts';

const EEXIST = 17;

function status(frame: Uint8Array): NetlinkStatus | undefined {
  return decodeMessages(frame).map(decodeStatus)[0];
}

function message(type: number, flags: number, body: readonly number[]) {
  return { type, flags, sequence: 1, port: 0, body: Uint8Array.from(body) };
}

test('an acknowledgement is errno 0', () => {
  assert.deepEqual(status(frames.acknowledgement), { errno: 0 });
});

test('the kernel’s words are found behind a capped and behind a whole echoed request', () => {
  const expected = { errno: EEXIST, words: 'ipv4: Address already assigned' };
  assert.deepEqual(status(frames.errorCapped), expected);
  assert.deepEqual(status(frames.errorEchoed), expected);
});

test('an error without words is an errno alone', () => {
  assert.deepEqual(status(frames.errorPlain), { errno: EEXIST });
});

test('the end of a dump may carry an error and words, right behind each other', () => {
  const words = [9, 0, 1, 0, 111, 111, 112, 115, 0, 0, 0, 0];
  const done = message(NLMSG_DONE, NLM_F_ACK_TLVS, [0xea, 0xff, 0xff, 0xff, ...words]);
  assert.deepEqual(decodeStatus(done), { errno: 22, words: 'oops' });
  assert.deepEqual(decodeStatus(message(NLMSG_DONE, 0, [0, 0, 0, 0])), { errno: 0 });
});

test('attributes other than the words are skipped', () => {
  const offset = [8, 0, 2, 0, 20, 0, 0, 0];
  const done = message(NLMSG_DONE, NLM_F_ACK_TLVS, [0xea, 0xff, 0xff, 0xff, ...offset]);
  assert.deepEqual(decodeStatus(done), { errno: 22 });
});

test('positive errors and impossible echoes are malformed', () => {
  assert.throws(() => decodeStatus(message(NLMSG_ERROR, 0, [1, 0, 0, 0])), {
    code: 'WIRE_MALFORMED',
    message: 'netlink status: positive error 1',
  });
  for (const echoed of [0, 15, 200, 0xff]) {
    const body = [0xff, 0xff, 0xff, 0xff, echoed, echoed, echoed, echoed, 0, 0, 0, 0];
    assert.throws(() => decodeStatus(message(NLMSG_ERROR, NLM_F_ACK_TLVS, body)), {
      code: 'WIRE_MALFORMED',
    });
  }
});

test('hostile bytes decode or throw a WireError', () => {
  survivesHostileInput(
    (bytes) => decodeMessages(bytes).map(decodeStatus),
    [frames.errorCapped, frames.errorEchoed],
  );
});
