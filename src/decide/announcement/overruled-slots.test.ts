import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CandidateVerdict } from '../../model/placement-reasons.ts';
import type { AddressDecision } from './address-decision.ts';
import { familySamples } from './cluster.fixture.ts';
import { findOverruled, type SlotHistory } from './overruled-slots.ts';
import { service } from './pool.fixture.ts';

for (const { family, vip } of familySamples) {
  const key = family === 'ipv4' ? 'purelb.io/announcing-IPv4' : 'purelb.io/announcing-IPv6';

  /** Node `a` holds the address; the slot names `slot`, of whom the election says `verdict`. */
  function look(
    slot: string | undefined,
    now: number,
    previous: SlotHistory = new Map(),
    { verdict = 'eligible', holds = true }: { verdict?: CandidateVerdict; holds?: boolean } = {},
  ) {
    const annotations = slot === undefined ? {} : { [key]: `${slot},eth0,${vip}` };
    const candidates = [{ node: 'b', verdict, isPreferred: false }];
    const election = { winner: 'a', because: 'incumbent', candidates, isFallback: false } as const;
    const decision: AddressDecision = {
      ip: vip,
      services: ['shop/web'],
      mode: 'local',
      outcome: { kind: 'absent' },
      reason: 'electionWon',
      election,
    };
    const loadBalancers = [service('web', [vip], { annotations })];
    const facts = { node: 'a', loadBalancers, decisions: [decision], holds: () => holds, now };
    return findOverruled(facts, previous);
  }

  test(`${family}: who takes an address writes over whoever had it`, () => {
    assert.deepEqual([...look('b', 0).overruled], []);
    assert.deepEqual([...look(undefined, 0).overruled], []);
  });

  test(`${family}: a slot that was ours, and that another wrote over, is left to it for a while`, () => {
    const mine = look('a', 0);
    assert.deepEqual([[...mine.overruled], mine.wakeAt], [[], Infinity]);
    const taken = look('b', 1_000, mine.history);
    assert.deepEqual([[...taken.overruled], taken.wakeAt], [[vip], 16_000]);
    const later = look('b', 15_999, taken.history);
    assert.deepEqual([...later.overruled], [vip]);
    assert.deepEqual([...look('b', 16_000, later.history).overruled], []);
  });

  test(`${family}: one that is no member any more is written over at once, one that is silent is not`, () => {
    const { history } = look('a', 0);
    assert.deepEqual([...look('b', 1, history, { verdict: 'leaseExpired' }).overruled], []);
    assert.deepEqual([...look('b', 1, history, { verdict: 'silent' }).overruled], [vip]);
  });

  test(`${family}: giving the address up ends the matter`, () => {
    const { history } = look('b', 1, look('a', 0).history, { holds: false });
    assert.deepEqual([...look('b', 2, history).overruled], []);
  });
}
