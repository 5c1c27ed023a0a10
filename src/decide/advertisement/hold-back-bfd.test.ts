import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PeerReading } from '../../model/speaker.ts';
import { router, wishOf } from './advertisement.fixture.ts';
import { holdBackBfd } from './hold-back-bfd.ts';

const { peers } = wishOf({
  neighbors: [
    router({}, { bfd: { desiredMinimumTxInterval: 100_000 } }),
    router({ neighborAddress: '198.51.100.2' }),
  ],
});
const reading = (state: string) =>
  peers.map(({ peer }) => ({ peer, state })) as unknown as readonly PeerReading[];

test('BFD begins once the session is up, and ends with it', () => {
  const [watched, plain] = peers;
  assert.equal(watched?.bfd?.isEnabled, true);
  assert.deepEqual(holdBackBfd(peers, reading('Established')), peers);
  const held = { ...watched, bfd: undefined, fingerprint: `${watched?.fingerprint}-without-bfd` };
  assert.deepEqual(holdBackBfd(peers, reading('OpenConfirm')), [held, plain]);
  assert.deepEqual(holdBackBfd(peers, []), [held, plain]);
});

test('that BFD is held back is no reason to reset a session', () => {
  const timersOf = (fingerprint = '') => fingerprint.split('-')[0];
  const [held] = holdBackBfd(peers, []);
  assert.equal(timersOf(held?.fingerprint), timersOf(peers[0]?.fingerprint));
});
