import assert from 'node:assert/strict';
import { test } from 'node:test';
import { GrpcError, grpcStatus } from '../runtime/grpc-error.ts';
import { isAlreadySo, speakerError } from './speaker-error.ts';

const told = (status: number, words: string) => {
  const { code, message } = speakerError(new GrpcError(status, words));
  return `${code}: ${message}`;
};

test('a daemon of another version is refused in plain words', () => {
  assert.equal(
    told(grpcStatus.unimplemented, 'unknown service api.GoBgpService'),
    'Refused: the daemon is not GoBGP 4: its API has no such call (unknown service api.GoBgpService)',
  );
});

test('one that is silent, was stopped or says no is told apart', () => {
  assert.equal(told(grpcStatus.unavailable, 'gone'), 'Unreachable: gone');
  assert.equal(told(grpcStatus.deadlineExceeded, 'late'), 'Unreachable: late');
  assert.match(told(grpcStatus.unknown, 'server stopped'), /^Stopped: /);
  assert.equal(told(grpcStatus.unknown, 'invalid prefix'), 'Refused: invalid prefix');
});

test('what is so already is known by its words', () => {
  const words = ["can't overwrite the existing peer: 192.0.2.1", 'invalid prefix'];
  assert.deepEqual(words.map(isAlreadySo), [true, false]);
});
