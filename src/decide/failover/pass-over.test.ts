import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CandidateVerdict } from '../../model/placement-reasons.ts';
import type { ConflictCheck } from '../../model/pool.ts';
import { familySamples } from '../announcement/cluster.fixture.ts';
import type { Election } from '../announcement/elect.ts';
import {
  type ExpectationFacts,
  type Expectations,
  expectSuccessors,
  findPassedOver,
  nextPassAt,
} from './pass-over.ts';

const quick: ConflictCheck = { mode: 'Quick', waitMs: 20, keepsKernelDad: false, quarantineMs: 0 };

/** `d silent, b!, c`: in their rank, the winner with a mark. */
function electionOf(text: string): Election {
  const candidates = text.split(', ').map((each) => {
    const [name = '', verdict = 'eligible'] = each.split(' ');
    return {
      node: name.replace('!', ''),
      verdict: verdict as CandidateVerdict,
      isPreferred: false,
    };
  });
  const winner = /(\w+)!/.exec(text)?.[1];
  return { winner, because: 'hash', candidates, isFallback: false };
}

for (const { family, vip } of familySamples) {
  /** `slot`: who it names. */
  const facts = (
    text: string,
    now: number,
    { slot, ...more }: Partial<ExpectationFacts> & { slot?: string } = {},
  ): ExpectationFacts => ({
    me: 'me',
    decisions: [{ ip: vip, election: electionOf(text) }],
    slots: new Map(slot === undefined ? [] : [[vip, slot]]),
    announced: new Map(),
    timings: { confirmMs: 100, rankDelayMs: 60 },
    forwardingWaitMs: 0,
    checks: [quick],
    now,
    ...more,
  });
  const live = (steps: readonly ExpectationFacts[]) =>
    steps.reduce<Expectations>((before, step) => expectSuccessors(step, before), new Map());
  const told = (found: Expectations, now: number) => [
    [...(findPassedOver(found, now).get(vip) ?? [])].join(),
    nextPassAt(found, now),
  ];

  const dead = { slot: 'd' };
  const heard = (node: string, at: number) => ({
    ...dead,
    announced: new Map([[vip, { node, at }]]),
  });
  test(`${family}: a successor that does not take over from an owner that is about to drop it is passed over`, () => {
    const text = 'd leaseExpired, b!, c, me';
    const [decision] = facts(text, 0, dead).decisions;
    const election = { ...electionOf(text), ending: 'd' };
    const ending = { ...facts(text, 0, dead), decisions: [{ ip: decision?.ip ?? vip, election }] };
    assert.deepEqual(told(live([ending]), 539), ['', 540]);
    assert.deepEqual(told(live([ending]), 540), ['b', Infinity]);
    assert.deepEqual(told(live([facts(text, 0, dead)]), 540), ['', Infinity]);
  });

  const first = facts('d silent, b!, c, me', 0, dead);
  const second = facts('d silent, b passedOver, c!, me', 540, dead);
  const cases: readonly [string, readonly ExpectationFacts[], number, readonly unknown[]][] = [
    ['who is to take over has its time', [first], 539, ['', 540]],
    ['and is passed over after it', [first], 540, ['b', Infinity]],
    ['the next one has as much time', [first, second], 1_079, ['b', 1_080]],
    ['and is passed over as well', [first, second], 1_080, ['b,c', Infinity]],
    [
      'looking again does not begin anew',
      [first, facts('d silent, b!, c, me', 300, dead)],
      300,
      ['', 540],
    ],
    [
      'who says that it has it is not passed over',
      [first, facts('d silent, b!, c, me', 300, heard('b', 290))],
      9_999,
      ['', Infinity],
    ],
    [
      'nor if it said so a moment before this node knew',
      [facts('d silent, b!, c, me', 1_000, heard('b', 10))],
      9_999,
      ['', Infinity],
    ],
    ['whoever says so has it', [facts('d silent, b!, c', 0, heard('c', 0))], 999, ['', Infinity]],
    [
      'what the dead one said last counts for nothing',
      [facts('d silent, b!, c, me', 0, heard('d', -10))],
      540,
      ['b', Infinity],
    ],
    [
      'what was said long ago neither',
      [facts('d silent, b!, c, me', 60_000, heard('b', 0))],
      60_540,
      ['b', Infinity],
    ],
    [
      'who waits for the silent ones before it has longer',
      [facts('d silent, a silent, b!, me', 0, dead)],
      0,
      ['', 600],
    ],
    [
      'once it is this node, those before it stay passed over, and it is not',
      [first, facts('d silent, b passedOver, me!', 540, dead)],
      99_999,
      ['b', Infinity],
    ],
    [
      'where everyone was passed over it begins anew, and takes its time',
      [facts('d silent, b!', 0, dead), facts('d silent, b!', 540, dead)],
      540,
      ['', 30_540],
    ],
    [
      'where a slot names someone that lives nobody is waited for',
      [first, facts('d, b!, c, me', 540, dead)],
      540,
      ['', Infinity],
    ],
    [
      'nor where that one has lost its Lease alone: its kernel may serve on',
      [facts('d leaseExpired, b!, c, me', 0, dead)],
      99_999,
      ['', Infinity],
    ],
    ['where nobody may have it nobody is waited for', [facts('d silent, c', 0)], 0, ['', Infinity]],
    ['first use has longer', [facts('b!, c, me', 0)], 2_039, ['', 2_040]],
    ['and is not waited for for ever', [facts('b!, c, me', 0)], 2_040, ['b', Infinity]],
    [
      'a new address may wait for kube-proxy, which counts as taking it',
      [facts('b!, c, me', 0, { forwardingWaitMs: 2_000 })],
      2_339,
      ['', 2_340],
    ],
    [
      'as long as it usually waits makes no difference',
      [facts('b!, c, me', 0, { forwardingWaitMs: 1_500 })],
      2_039,
      ['', 2_040],
    ],
    [
      'a full check before first use is waited for',
      [facts('b!, c, me', 0, { checks: [{ ...quick, mode: 'Full' }] })],
      0,
      ['', 6_000],
    ],
  ];
  for (const [name, steps, now, expected] of cases) {
    test(`${family}: ${name}`, () => assert.deepEqual(told(live(steps), now), expected));
  }
}
