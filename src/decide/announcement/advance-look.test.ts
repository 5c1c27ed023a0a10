import assert from 'node:assert/strict';
import { test } from 'node:test';
import { advanceLookMs, usableAdvanceLook } from './advance-look.ts';
import { familySamples } from './cluster.fixture.ts';
import { type LookQuestion, lookBeforeAdd } from './look-before-add.ts';
import type { Look } from './who-holds.ts';
import { identitiesOf, macOfNode } from './wire.fixture.ts';

const silent: Look = { link: 'eth0', sentAt: [1000], answers: [], isDeaf: false, isAhead: true };

for (const { family, vip } of familySamples) {
  const question = (more: Partial<LookQuestion> = {}): LookQuestion => ({
    me: 'a',
    ip: vip,
    link: 'eth0',
    check: { mode: 'Quick', waitMs: 20, keepsKernelDad: false, quarantineMs: 0 },
    skipsCheck: false,
    slot: undefined,
    claims: new Set(),
    denied: new Map(),
    look: silent,
    controls: [],
    proxies: new Set(),
    identities: identitiesOf('a', 'b'),
    suspects: [],
    aheadMs: advanceLookMs,
    now: 21_000,
    ...more,
  });
  const isUsed = (more: Partial<LookQuestion>) => usableAdvanceLook(question(more)) !== undefined;
  const answeredBy = (node: string) => ({
    ...silent,
    answers: [{ mac: macOfNode(node), at: 2000 }],
  });

  test(`${family}: an address that was looked at in advance is added without a wait`, () => {
    assert.equal(lookBeforeAdd(question()).kind, 'add');
    const { isAhead: _, ...late } = silent;
    assert.equal(lookBeforeAdd(question({ look: late })).kind, 'ask', 'an old look is none');
  });

  test(`${family}: what somebody is said to hold is asked for all the same`, () => {
    const slot = { node: 'b', link: 'eth0', ip: vip };
    for (const more of [{ slot }, { suspects: ['b'] }, { handedBy: 'b' }, { since: 500 }]) {
      assert.equal(lookBeforeAdd(question(more)).kind, 'ask', Object.keys(more).join());
    }
  });

  test(`${family}: silence counts for half a minute, on the link that was asked`, () => {
    assert.equal(isUsed({ now: 1000 + advanceLookMs - 1 }), true);
    assert.equal(isUsed({ now: 1000 + advanceLookMs }), false);
    assert.equal(isUsed({ link: 'eth1' }), false);
    assert.equal(isUsed({ look: { ...silent, isDeaf: true } }), false);
    assert.equal(isUsed({ aheadMs: undefined }), false, 'the node is cut off from the cluster');
  });

  test(`${family}: a node that may have missed frames since asks again`, () => {
    assert.equal(isUsed({ doubtedAt: 999 }), true);
    assert.equal(isUsed({ doubtedAt: 1001 }), false);
  });

  test(`${family}: of two members that look in advance only the last one relies on it`, () => {
    assert.equal(isUsed({ askedAt: 900 }), true, 'the other one heard this one, and asks again');
    assert.equal(isUsed({ askedAt: 10_000 }), false);
    const both = question({ askedAt: 1100, betterAskers: new Map([['b', 1100]]) });
    assert.equal(lookBeforeAdd(both).kind, 'ask', 'at the same time: the lower rank asks again');
  });

  test(`${family}: members of better rank that may live after all are waited for`, () => {
    assert.equal(isUsed({ delayMs: 50 }), false);
  });

  test(`${family}: a claim that was heard since the look is asked about`, () => {
    assert.equal(isUsed({ look: answeredBy('x') }), false);
    assert.equal(isUsed({ look: answeredBy('b') }), false);
    assert.equal(isUsed({ look: answeredBy('a') }), true, 'its own');
    assert.equal(isUsed({ look: answeredBy('x'), proxies: new Set([macOfNode('x')]) }), true);
  });
}
