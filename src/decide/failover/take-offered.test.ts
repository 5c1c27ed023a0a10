import assert from 'node:assert/strict';
import { test } from 'node:test';
import { familySamples } from '../announcement/cluster.fixture.ts';
import type { Look } from '../announcement/who-holds.ts';
import { identitiesOf, macOfNode } from '../announcement/wire.fixture.ts';
import type { TakingOver } from './handover-view.ts';
import { type OfferFacts, type OfferStep, takeOffered } from './take-offered.ts';

for (const { family, vip } of familySamples) {
  const usual: OfferFacts = {
    ip: vip,
    link: 'eth0',
    offeredBy: 'a',
    before: undefined,
    isHeld: false,
    isEligible: true,
    isSlotOurs: false,
    clearance: () => ({ kind: 'handed', findings: [] }),
    look: undefined,
    identities: identitiesOf('b', 'a', 'c'),
    timeoutMs: 3_000,
    now: 10_000,
  };
  const taking = (since: number, endedAt?: number): Partial<OfferFacts> => ({
    isHeld: true,
    before: {
      role: 'successor',
      from: 'a',
      since,
      ...(endedAt === undefined ? {} : { endedAt }),
    } satisfies TakingOver,
  });
  const asked = (sentAt: readonly number[], node?: string, isDeaf = false): Look => ({
    link: 'eth0',
    sentAt,
    answers: node === undefined ? [] : [{ mac: macOfNode(node), at: 9_999 }],
    isDeaf,
  });

  function describe(step: OfferStep): string {
    if (step.kind === 'none' || step.kind === 'yield') return step.kind;
    const asks = step.asks.map(({ isFirst, to, isPrivate }) => {
      return `, asks ${isPrivate ? to.join(' ') : 'all'}${isFirst ? '' : ' again'}`;
    });
    const wakes = step.wakeAt === Infinity ? '' : `, wakes at ${step.wakeAt}`;
    const state = step.kind === 'ask' ? '' : ` ${describeState(step.state)}`;
    return `${step.kind}${state}${asks.join('')}${wakes}`;
  }

  function describeState(state: (OfferStep & { kind: 'hold' })['state']): string {
    if (state.role === 'settled') return `settled at ${state.at}`;
    if (state.role === 'holder') return 'as holder';
    const ended = state.endedAt === undefined ? '' : `, ended at ${state.endedAt}`;
    return `from ${state.from} since ${state.since}${ended}`;
  }

  const check = (name: string, facts: Partial<OfferFacts>, expected: string): void => {
    test(`${family}: ${name}`, () => {
      assert.equal(describe(takeOffered({ ...usual, ...facts })), expected);
    });
  };

  const ask = { ip: vip, link: 'eth0', isFirst: true, to: [] };
  check('nothing offered is nothing to do', { offeredBy: undefined }, 'none');
  check('what its holder answers for is taken', {}, 'hold from a since 10000');
  check('who may not hold it does not take it', { isEligible: false }, 'none');
  check(
    'the wire is asked first',
    { clearance: () => ({ kind: 'ask', asks: [ask] }) },
    'ask, asks all',
  );
  check(
    'and its answer is waited for',
    { clearance: () => ({ kind: 'wait', until: 10_020 }) },
    'ask, wakes at 10020',
  );
  check(
    'where the one that offers it is silent, the usual rules hold',
    { clearance: () => ({ kind: 'add', findings: [] }) },
    'none',
  );
  check(
    'where another member has it, an old Lease is all that offers it',
    { clearance: () => ({ kind: 'heldByMember', node: 'c', until: 0 }) },
    'none',
  );
  check('once taken it is held', taking(9_900), 'hold from a since 9900, wakes at 12900');
  check(
    'for as long as it takes, once the slot says so',
    { ...taking(1_000), isSlotOurs: true },
    'hold from a since 1000',
  );
  check('what was here before it was offered is not taken, but had', { isHeld: true }, 'none');
  const first = `hold from a since 9000, ended at 10000, asks ${macOfNode('a')}, wakes at 10050`;
  check(
    'when the offer is over and the slot names this node, it settles here',
    { ...taking(9_000), offeredBy: undefined, isSlotOurs: true },
    'hold settled at 10000',
  );
  check('else the former holder is asked', { ...taking(9_000), offeredBy: undefined }, first);
  check(
    'what it answered before the offer was over does not count',
    { ...taking(9_000), offeredBy: undefined, look: asked([9_990], 'a') },
    first,
  );
  check(
    'if it answers, it has kept the address, and this node yields',
    { ...taking(9_000, 9_980), offeredBy: undefined, look: asked([9_990], 'a') },
    'yield',
  );
  check(
    'it is asked twice',
    { ...taking(9_000, 9_940), offeredBy: undefined, look: asked([9_950]) },
    `hold from a since 9000, ended at 9940, asks ${macOfNode('a')} again, wakes at 10050`,
  );
  check(
    'and its second answer is waited for',
    { ...taking(9_000, 9_930), offeredBy: undefined, look: asked([9_930, 9_985]) },
    'hold from a since 9000, ended at 9930, wakes at 10035',
  );
  check(
    'when it is silent, the address settles here',
    { ...taking(9_000, 9_890), offeredBy: undefined, look: asked([9_890, 9_945]) },
    'hold settled at 10000',
  );
  check(
    'where frames were lost it is asked anew',
    { ...taking(9_000, 9_890), offeredBy: undefined, look: asked([9_890, 9_945], undefined, true) },
    `hold from a since 9000, ended at 9890, asks ${macOfNode('a')}, wakes at 10050`,
  );
  check(
    'where the holder cannot see that it was taken, one of the two lets go in the end',
    taking(7_000),
    `hold from a since 7000, ended at 10000, asks ${macOfNode('a')}, wakes at 10050`,
  );
  check(
    'a new offer by another does not prolong the first',
    { ...taking(9_000), offeredBy: 'c' },
    first,
  );
}
