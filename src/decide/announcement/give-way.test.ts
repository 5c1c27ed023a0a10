import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addressKey, type HeldAddress, type WantedAddress } from '../../model/address.ts';
import type { AddressDecision } from './address-decision.ts';
import { familySamples } from './cluster.fixture.ts';
import type { Election } from './elect.ts';
import { findFailing, nextTryAt, noteSetbacks, type Setbacks } from './give-way.ts';
import { held, link, ours } from './node.fixture.ts';

const eth0 = link('eth0');
const nothing: Setbacks = new Map();

for (const { family, vip, vip2, length } of familySamples) {
  const wanted: WantedAddress = {
    link: 'eth0',
    ip: vip,
    prefixLength: length,
    validSeconds: 300,
    preferredSeconds: 300,
    noPrefixRoute: true,
    noDad: true,
  };
  const about = { ip: vip, services: ['shop/web'], mode: 'local' } as const;
  const won: AddressDecision = {
    ...about,
    outcome: { kind: 'local', wanted },
    reason: 'electionWon',
  };
  const elected = (winner: string | undefined, because: Election['because']): AddressDecision => ({
    ...about,
    outcome: { kind: 'absent' },
    reason: winner === undefined ? 'noEligibleNodes' : 'lostElection',
    election: { winner, because, candidates: [], isFallback: false },
  });
  const note = (
    decision: AddressDecision | undefined,
    at: number,
    before: Setbacks,
    more: { held?: readonly HeldAddress[] | undefined; fails?: boolean } = {},
  ) =>
    noteSetbacks(
      {
        node: 'a',
        decisions: decision === undefined ? [] : [decision],
        held: 'held' in more ? more.held : [],
        failures: new Map(more.fails === true ? [[addressKey(wanted), 'no buffer space']] : []),
        now: at,
      },
      before,
    );
  const failed = () => note(won, 0, nothing, { fails: true });
  const isFailing = (setbacks: Setbacks, at: number) => findFailing(setbacks, at).has(vip);

  test(`${family}: spec 19 #29: what could not be added is failing, and tried again after a second`, () => {
    const setbacks = failed();
    const expected = { link: 'eth0', words: 'no buffer space', attempts: 1 };
    assert.deepEqual([...setbacks], [[vip, { ...expected, retryAt: 1000, isOutvoted: false }]]);
    assert.deepEqual([isFailing(setbacks, 999), isFailing(setbacks, 1000)], [true, false]);
    assert.equal(nextTryAt(setbacks, 0), 1000);
    assert.equal(nextTryAt(setbacks, 1000), Infinity);
    assert.equal(nextTryAt(nothing, 0), Infinity);
  });

  test(`${family}: each further failure waits twice as long, up to a minute`, () => {
    let setbacks = nothing;
    const waits: number[] = [];
    let at = 0;
    for (let attempt = 0; attempt < 9; attempt++) {
      setbacks = note(won, at, setbacks, { fails: true });
      waits.push((nextTryAt(setbacks, at) - at) / 1000);
      at = nextTryAt(setbacks, at);
      setbacks = note(elected(undefined, 'nobody'), at, setbacks);
    }
    assert.deepEqual(waits, [1, 2, 4, 8, 16, 32, 60, 60, 60]);
  });

  test(`${family}: it keeps away while another is elected and does not hold the address yet`, () => {
    const setbacks = note(elected('b', 'hash'), 500, failed());
    assert.equal(isFailing(setbacks, 100_000), true);
    assert.equal(isFailing(note(elected('b', 'hash'), 90_000, setbacks), 100_000), true);
  });

  test(`${family}: it is a candidate again once another holds the address`, () => {
    const early = note(elected('b', 'incumbent'), 500, failed());
    assert.deepEqual([isFailing(early, 600), isFailing(early, 1000)], [true, false]);
    assert.deepEqual(note(elected('b', 'incumbent'), 1000, early), nothing);
  });

  test(`${family}: nobody else being there, it tries again, and success is the end of it`, () => {
    const waiting = note(elected(undefined, 'nobody'), 1000, failed());
    assert.equal(isFailing(waiting, 1000), false);
    const there = note(won, 1100, waiting, { held: [ours(eth0, `${vip}/${length}`)] });
    assert.deepEqual(there, nothing);
  });

  test(`${family}: nothing is known of a kernel that cannot be read`, () => {
    const setbacks = failed();
    assert.equal(note(won, 500, setbacks, { held: undefined, fails: true }), setbacks);
    const leave: AddressDecision = {
      ...about,
      outcome: { kind: 'leave' },
      reason: 'endpointsUnknown',
    };
    assert.deepEqual(note(leave, 500, setbacks), setbacks);
  });

  test(`${family}: an address that someone else put there is answered for here: nobody else is to`, () => {
    const foreign = held(eth0, `${vip}/${length}`);
    assert.deepEqual(note(won, 0, nothing, { held: [foreign], fails: true }), nothing);
    const other = held(eth0, `${vip2}/${length}`);
    assert.equal(note(won, 0, nothing, { held: [other], fails: true }).size, 1);
  });

  test(`${family}: a lifetime that could not be refreshed is no reason to give way`, () => {
    const present = { held: [ours(eth0, `${vip}/${length}`)], fails: true };
    assert.deepEqual(note(won, 0, nothing, present), nothing);
  });

  test(`${family}: it is forgotten with the Service, and where the node has no part in it any more`, () => {
    assert.deepEqual(note(undefined, 500, failed()), nothing);
    const elsewhere: AddressDecision = {
      ...about,
      outcome: { kind: 'absent' },
      reason: 'noLocalInterface',
    };
    assert.deepEqual(note(elsewhere, 500, failed()), nothing);
  });
}
