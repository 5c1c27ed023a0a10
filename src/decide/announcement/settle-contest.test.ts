import assert from 'node:assert/strict';
import { test } from 'node:test';
import { macOf } from '../../model/mac.ts';
import { type Contest, type SignedWord, settleContest } from './settle-contest.ts';

const low = macOf('02:00:00:00:00:05');
const high = macOf('02:00:00:00:00:06');
const now = 100_000;

function settle(
  ownership: Contest['verdict']['ownership'],
  words: Contest['words'],
  more: Partial<Contest> = {},
) {
  const verdict = { ownership, mac: low };
  const since = { ownedSince: now, claimedSince: now };
  return settleContest({ me: 'b', ownMac: high, verdict, ...since, words, now, ...more });
}

const word = (more: Partial<SignedWord> = {}): SignedWord => {
  return { node: 'c', isSure: true, askedAt: now - 1_000, ...more };
};

test('an agent without a key yields to a host that announces and replies, and waits where one only replies', () => {
  assert.equal(settle('owned', undefined), 'yield');
  assert.equal(settle('answered', undefined), 'wait');
  assert.equal(settle('free', undefined), 'uncontested');
});

test('of two agents without a key the one with the higher MAC yields first', () => {
  const lower = { ownMac: low, verdict: { ownership: 'owned', mac: high } } as const;
  assert.equal(settle('owned', undefined, { ...lower, ownedSince: now - 499 }), 'wait');
  assert.equal(settle('owned', undefined, { ...lower, ownedSince: now - 500 }), 'yield');
});

test('an agent with a key yields to the signed word of a sure owner, whatever the frames say', () => {
  for (const ownership of ['free', 'unheard', 'answered', 'owned'] as const) {
    assert.equal(settle(ownership, [word()]), 'yield');
  }
  assert.equal(settle('owned', [word({ askedAt: now - 3_000 })]), 'keep');
});

test('an agent with a key keeps what nobody claims by a signed word, for a minute', () => {
  for (const ownership of ['answered', 'owned'] as const) {
    assert.equal(settle(ownership, [], { claimedSince: now - 59_999 }), 'keep');
  }
  assert.equal(settle('owned', [], { claimedSince: now - 60_000 }), 'yield');
  assert.equal(settle('answered', [], { claimedSince: now - 60_000 }), 'wait');
});

test('a key makes no difference where nobody else was found, or the question was not heard', () => {
  assert.equal(settle('free', []), 'uncontested');
  assert.equal(settle('unheard', []), 'wait');
});

test('of two agents that are both unsure the one with the greater name yields, after 3 s', () => {
  const unsure = [word({ node: 'a', isSure: false })];
  assert.equal(settle('owned', unsure, { claimedSince: now - 2_999 }), 'keep');
  assert.equal(settle('owned', unsure, { claimedSince: now - 3_000 }), 'yield');
  const later = [word({ node: 'c', isSure: false })];
  assert.equal(settle('owned', later, { claimedSince: now - 3_000 }), 'keep');
});
