import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ipOf } from '../../model/ip.ts';
import type { AddressDecision } from './address-decision.ts';
import { absent } from './address-decision.ts';
import { findStale } from './stale-decisions.ts';

const ip = ipOf('192.0.2.100');

function decisionOf(more: Partial<AddressDecision> = {}): AddressDecision {
  return { ip, services: ['shop/web'], mode: 'local', ...absent('lostElection'), ...more };
}

function electionOf(winner: string) {
  return { winner, because: 'hash', candidates: [], isFallback: false } as const;
}

function stale(kept: AddressDecision | undefined, now: AddressDecision | undefined) {
  const before = new Map(kept === undefined ? [] : [[ip, kept]]);
  const found = findStale(before, now === undefined ? [] : [now], 1_000);
  return found.map((each) => `${each.kept} → ${each.now}`);
}

test('the same decision is not stale, whenever it was verified', () => {
  assert.deepEqual(stale(decisionOf({ verifiedAt: 1 }), decisionOf({ verifiedAt: 2 })), []);
});

test('another reason, another winner and a decision too many are stale', () => {
  assert.deepEqual(stale(decisionOf(), decisionOf({ reason: 'yielded' })), [
    'absent lostElection winner none  shop/web → absent yielded winner none  shop/web',
  ]);
  const [b, c] = [
    decisionOf({ election: electionOf('b') }),
    decisionOf({ election: electionOf('c') }),
  ];
  assert.equal(stale(b, c).length, 1);
  assert.equal(stale(decisionOf(), undefined).length, 1);
  assert.equal(stale(undefined, decisionOf()).length, 1);
});

test('what is due again by itself, now or in a moment, or waits for replies is not stale', () => {
  const other = decisionOf({ reason: 'yielded' });
  assert.deepEqual(stale(decisionOf({ wakeAt: 1_000 }), other), []);
  assert.deepEqual(stale(decisionOf({ wakeAt: 1_050 }), other), []);
  assert.deepEqual(stale(decisionOf({ asks: [] }), other), []);
  assert.equal(stale(decisionOf({ wakeAt: 5_000 }), other).length, 1);
});
