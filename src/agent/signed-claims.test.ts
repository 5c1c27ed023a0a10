import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Ip, ipOf } from '../model/ip.ts';
import { ManualClock } from '../runtime/manual-clock.ts';
import { type Hint, unasked } from '../wire/hint.ts';
import type { HintSender } from './hints.ts';
import { SignedClaims } from './signed-claims.ts';

const vip = ipOf('192.0.2.100');
const b: HintSender = { ip: ipOf('192.0.2.12'), node: 'b', keyId: 1 };
const c: HintSender = { ip: ipOf('192.0.2.13'), node: 'c', keyId: 1 };

function build() {
  const clock = new ManualClock();
  const sent: (readonly [Hint, Ip])[] = [];
  const news = { count: 0 };
  let number = 100;
  const claims = new SignedClaims({
    hints: { reply: (hint, { ip }) => sent.push([hint, ip]) },
    clock,
    drawNumber: () => ++number,
    onNews: () => {
      news.count += 1;
    },
  });
  claims.attend(new Set([vip]));
  return { clock, claims, sent, news };
}

function affirm(number: number, isSure = true): Hint {
  return { kind: 'affirmation', ip: vip, number, isSure };
}

test('a peer that says unasked that it owns an address is asked, and its answer counts', () => {
  const { claims, sent, news } = build();
  claims.hear(affirm(unasked), b);
  assert.deepEqual(claims.wordsFor(vip), []);
  assert.deepEqual(sent, [[{ kind: 'question', ip: vip, number: 101 }, b.ip]]);
  claims.hear(affirm(101), b);
  assert.deepEqual(claims.wordsFor(vip), [{ node: 'b', isSure: true, askedAt: 0 }]);
  assert.equal(news.count, 1);
});

test('a peer that asks for an address is asked back', () => {
  const { claims, sent } = build();
  claims.hear({ kind: 'question', ip: vip, number: 7 }, b);
  assert.deepEqual(sent, [[{ kind: 'question', ip: vip, number: 101 }, b.ip]]);
  claims.hear(affirm(101, false), b);
  assert.deepEqual(claims.wordsFor(vip), [{ node: 'b', isSure: false, askedAt: 0 }]);
});

test('an answer counts from the peer that was asked, with the number of its question', () => {
  const { claims } = build();
  claims.hear(affirm(unasked), b);
  claims.hear(affirm(101), c);
  claims.hear(affirm(99), b);
  assert.deepEqual(claims.wordsFor(vip), []);
});

test('packets without a signature, and for addresses that this node does not hold, are ignored', () => {
  const { claims, sent } = build();
  claims.hear(affirm(unasked), { ...b, keyId: undefined });
  claims.hear({ kind: 'question', ip: ipOf('192.0.2.101'), number: 7 }, b);
  assert.deepEqual(sent, []);
});

test('a peer is asked again after 200 ms, and forgotten with the address', async () => {
  const { clock, claims, sent } = build();
  claims.hear(affirm(unasked), b);
  claims.ask([vip]);
  assert.equal(sent.length, 1);
  await clock.advance(200);
  claims.ask([vip]);
  assert.equal(sent.length, 2);
  claims.attend(new Set());
  await clock.advance(200);
  claims.ask([vip]);
  assert.equal(sent.length, 2);
});
