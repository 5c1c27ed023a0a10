import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Member } from '../model/member.ts';
import { ManualClock } from '../runtime/manual-clock.ts';
import { MemberWatch } from './member-watch.ts';

const durationMs = 10_000;

function start() {
  const clock = new ManualClock();
  const renewals = new Map([
    ['me', 0],
    ['other', 0],
  ]);
  const diary: string[] = [];
  const sight = { isConfirmed: true };
  const watch = new MemberWatch({
    me: 'me',
    clock,
    durationMs,
    members: () => [...renewals].map(([node, renewal]) => member(node, renewal)),
    renewedAt: () => Math.floor(clock.monotonic() / 4_000) * 4_000,
    isConfirmed: () => sight.isConfirmed,
    onChange: () => diary.push(`changed at ${clock.monotonic()}`),
  });
  const renew = (node: string) => {
    renewals.set(node, (renewals.get(node) ?? 0) + 1);
    watch.judge();
  };
  return { clock, diary, watch, renew, sight };
}

function member(node: string, renewal: number): Member {
  const renewTime = `renewal ${renewal}`;
  return { node, durationMs, renewTime, instance: node } as unknown as Member;
}

test('renewals wake nobody; a Lease that ends does, though nothing else happens', async () => {
  const { clock, diary, watch, renew } = start();
  watch.judge();
  for (let round = 0; round < 4; round += 1) {
    await clock.advance(5_000);
    renew('other');
  }
  await clock.advance(9_999);
  assert.deepEqual(diary, ['changed at 0']);
  await clock.advance(1);
  assert.deepEqual(diary, ['changed at 0', 'changed at 30000']);
});

test('who was stopped judges no more', async () => {
  const { clock, diary, watch } = start();
  watch.judge();
  watch.stop();
  await clock.advance(60_000);
  assert.deepEqual(diary, ['changed at 0']);
});

test('who is not told of its own renewals is told of nobody’s, and judges nobody', async () => {
  const { clock, watch, sight } = start();
  watch.judge();
  sight.isConfirmed = false;
  await clock.advance(60_000);
  assert.equal(watch.judge().liveness.get('other'), 'alive');
  sight.isConfirmed = true;
  assert.equal(watch.judge().liveness.get('other'), 'alive');
  await clock.advance(durationMs);
  assert.equal(watch.judge().liveness.get('other'), 'expired');
});
