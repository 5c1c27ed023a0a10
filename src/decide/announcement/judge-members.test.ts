import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { member } from './cluster.fixture.ts';
import {
  judgeMembers,
  type Liveness,
  type MemberJudgement,
  type MemberObservations,
} from './judge-members.ts';

/** An agent on node `me` that sees Leases of 10 s: `see` gives it, second by second, what it sees. */
class Watcher {
  #observations: MemberObservations | undefined;
  #now = 0;
  #renewedAt = 0;
  judgement: MemberJudgement | undefined;

  /** `b=1` is b's Lease with renewal 1; seconds since the start; our own renewal succeeds unless said. */
  see(
    seconds: number,
    leases: string,
    { isRenewed = true } = {},
  ): Readonly<Record<string, Liveness>> {
    this.#now = seconds * 1000;
    if (isRenewed) this.#renewedAt = this.#now;
    const members = leases.split(' ').map((lease) => {
      const [node = '', renewTime = ''] = lease.split('=');
      return member(node, { renewTime });
    });
    const facts = {
      me: 'me',
      members,
      renewedAt: this.#renewedAt,
      durationMs: 10_000,
      now: this.#now,
    };
    this.judgement = judgeMembers(facts, this.#observations);
    this.#observations = this.judgement.observations;
    return Object.fromEntries(this.judgement.liveness);
  }
}

test('a Lease that does not change for its duration has expired', () => {
  const watcher = new Watcher();
  assert.deepEqual(watcher.see(0, 'me=1 b=1'), { me: 'alive', b: 'alive' });
  assert.deepEqual(watcher.see(9.9, 'me=2 b=1'), { me: 'alive', b: 'alive' });
  assert.deepEqual(watcher.see(10, 'me=3 b=1'), { me: 'alive', b: 'expired' });
});

test('when the API server goes away nobody ends for whoever renewed last', () => {
  const watcher = new Watcher();
  watcher.see(0, 'me=1 b=1');
  watcher.see(5, 'me=1 b=2', { isRenewed: false });
  watcher.see(5.1, 'me=2 b=2');
  const away = { isRenewed: false };
  assert.deepEqual(watcher.see(15, 'me=2 b=2', away), { me: 'alive', b: 'alive' });
  assert.deepEqual(watcher.see(15.2, 'me=2 b=2', away), { me: 'alive', b: 'alive' });
});

test('spec 19 #2: it says when the next Lease ends', () => {
  const watcher = new Watcher();
  watcher.see(0, 'me=1 b=1 c=1');
  watcher.see(4, 'me=2 b=1 c=2');
  assert.equal(watcher.judgement?.wakeAt, 10_000);
  watcher.see(10, 'me=3 b=1 c=2');
  assert.equal(watcher.judgement?.wakeAt, 14_000);
});

test('a renewal keeps a member alive, and brings an expired one back', () => {
  const watcher = new Watcher();
  watcher.see(0, 'b=1');
  assert.deepEqual(watcher.see(8, 'b=2'), { b: 'alive' });
  assert.deepEqual(watcher.see(17, 'b=2'), { b: 'alive' });
  assert.deepEqual(watcher.see(18, 'b=2'), { b: 'expired' });
  assert.deepEqual(watcher.see(19, 'b=3'), { b: 'alive' });
});

test('spec 19 #3: what time a member believes it is means nothing', () => {
  const watcher = new Watcher();
  watcher.see(0, 'b=2031-01-01T00:00:00Z c=1999-01-01T00:00:00Z');
  const later = watcher.see(9, 'b=2031-01-01T00:00:00Z c=1999-01-01T00:00:05Z');
  assert.deepEqual(later, { b: 'alive', c: 'alive' });
  assert.deepEqual(watcher.see(10, 'b=2031-01-01T00:00:00Z c=1999-01-01T00:00:05Z'), {
    b: 'expired',
    c: 'alive',
  });
});

test('who cannot renew its own Lease judges nobody', () => {
  const watcher = new Watcher();
  watcher.see(0, 'me=1 b=1');
  assert.deepEqual(watcher.see(60, 'me=1 b=1', { isRenewed: false }), { me: 'alive', b: 'alive' });
  assert.equal(watcher.judgement?.wakeAt, Infinity);
});

test('a member that had expired before stays so while nobody is judged', () => {
  const watcher = new Watcher();
  watcher.see(0, 'b=1');
  watcher.see(5, 'b=1');
  watcher.see(10, 'b=1');
  assert.deepEqual(watcher.see(60, 'b=1', { isRenewed: false }), { b: 'expired' });
});

test('after its own gap it gives the others a whole Lease to be seen again', () => {
  const watcher = new Watcher();
  watcher.see(0, 'b=1');
  watcher.see(30, 'b=1', { isRenewed: false });
  assert.deepEqual(watcher.see(31, 'b=1'), { b: 'alive' });
  assert.deepEqual(watcher.see(40, 'b=1'), { b: 'alive' });
  assert.deepEqual(watcher.see(41, 'b=1'), { b: 'expired' });
});

test('a newly seen Lease is alive, a deleted one forgotten', () => {
  const watcher = new Watcher();
  watcher.see(0, 'b=1');
  assert.deepEqual(watcher.see(20, 'c=1'), { c: 'alive' });
  assert.deepEqual(watcher.see(21, 'b=1 c=1'), { b: 'alive', c: 'alive' });
});

test('our own Lease is never judged', () => {
  const watcher = new Watcher();
  for (const seconds of [0, 5, 10]) {
    assert.deepEqual(watcher.see(seconds, 'me=1'), { me: 'alive' });
  }
});

test('judging twice at the same moment changes nothing', () => {
  const times = fc.array(fc.nat(30), { minLength: 1, maxLength: 20 });
  fc.assert(
    fc.property(times, (steps) => {
      const watcher = new Watcher();
      let now = 0;
      for (const step of steps) {
        now += step;
        const leases = `me=${now} b=${Math.floor(now / 7)} c=0`;
        assert.deepEqual(watcher.see(now, leases), watcher.see(now, leases));
      }
    }),
  );
});
