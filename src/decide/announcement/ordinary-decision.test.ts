import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ipOf } from '../../model/ip.ts';
import { type AddressDecision, absent } from './address-decision.ts';
import { isOrdinary } from './ordinary-decision.ts';

const ip = ipOf('192.0.2.100');

function decisionOf(more: Partial<AddressDecision> = {}): AddressDecision {
  return { ip, services: ['shop/web'], mode: 'local', ...absent('lostElection'), ...more };
}

function electionOf(winner: string | undefined, verdict: 'eligible' | 'silent' = 'eligible') {
  const candidates = [{ node: 'b', verdict, isPreferred: false }] as const;
  return { winner, because: 'hash', candidates, isFallback: false } as const;
}

test('an address that is new, held or someone else’s is ordinary', () => {
  assert.equal(isOrdinary(decisionOf()), true);
  assert.equal(isOrdinary(decisionOf({ reason: 'askingTheWire' })), true);
  assert.equal(isOrdinary(decisionOf({ election: electionOf('b') })), true);
});

for (const [what, more] of Object.entries<Partial<AddressDecision>>({
  'a conflict': { conflict: { mac: undefined, link: 'eth0' } },
  'a finding': { findings: [] },
  'a planned move': { handover: { role: 'settled', at: 1 } },
  'another owner that is to hear of this one': { defends: true },
  'giving way to another owner': { yields: true },
  'a doubt': { outcome: { kind: 'leave' }, reason: 'verifying' },
  'a quarantine': { reason: 'quarantined' },
  'a member that does not answer': { election: electionOf('b', 'silent') },
  'no member that could own it': { election: electionOf(undefined) },
  'an owner that is about to drop it': { election: { ...electionOf('b'), ending: 'c' } },
  'a move that was asked for': { election: { ...electionOf('b'), because: 'asked' } },
})) {
  test(`not ordinary: ${what}`, () => {
    assert.equal(isOrdinary(decisionOf(more)), false);
  });
}
