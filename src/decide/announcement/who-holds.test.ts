import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Slot } from '../../model/announcing.ts';
import { ipOf } from '../../model/ip.ts';
import { familySamples } from './cluster.fixture.ts';
import { type HolderEvidence, type Look, whoHolds } from './who-holds.ts';
import { identitiesOf, macOfNode } from './wire.fixture.ts';

const now = 10_000;

function believe(more: Partial<HolderEvidence>): string {
  const holder = whoHolds({
    me: 'a',
    isInMyKernel: false,
    look: undefined,
    slot: undefined,
    claims: new Set(),
    denied: new Map(),
    identities: identitiesOf('a', 'b', 'c'),
    now,
    ...more,
  });
  return holder === undefined ? 'nobody' : `${holder.node} by ${holder.evidence}`;
}

/** Who answered, with how many ms ago: `b@20`. */
function looked(...answers: readonly string[]): Look {
  return {
    link: 'eth0',
    sentAt: [now - 6000],
    answers: answers.map((text) => {
      const [node = '', ago = '0'] = text.split('@');
      return { mac: macOfNode(node), at: now - Number(ago) };
    }),
    isDeaf: false,
  };
}

for (const { family, vip } of familySamples) {
  const slot = (node: string): Slot => ({ node, link: 'eth0', ip: vip });

  test(`${family}: the own kernel is believed before everything else`, () => {
    const evidence = { isInMyKernel: true, look: looked('b'), slot: slot('b') };
    assert.equal(believe(evidence), 'a by kernel');
  });

  test(`${family}: the wire is believed before the slot`, () => {
    const evidence = { look: looked('c'), slot: slot('b'), claims: new Set(['c']) };
    assert.equal(believe(evidence), 'c by wire');
  });

  test(`${family}: the slot is believed where nothing else is known`, () => {
    assert.equal(believe({ slot: slot('b') }), 'b by slot');
    assert.equal(believe({ slot: slot('a') }), 'a by slot');
    assert.equal(believe({}), 'nobody');
  });

  test(`${family}: a member that answers and is named by the slot is known by the wire`, () => {
    assert.equal(believe({ look: looked('b'), slot: slot('b') }), 'b by wire');
  });

  test(`${family}: T10: a member that answers without saying that it holds the address does not`, () => {
    assert.equal(believe({ look: looked('c'), slot: slot('b') }), 'b by slot');
    assert.equal(believe({ look: looked('c') }), 'nobody');
  });
}

test('who is named by the slot and says that it does not hold it is known by the slot alone', () => {
  const slot = { node: 'b', link: 'eth0', ip: ipOf('192.0.2.100') };
  const denied = new Map([['b', now - 10]]);
  assert.equal(believe({ look: looked('b'), slot, denied }), 'b by slot');
  assert.equal(believe({ look: looked('b'), slot, denied: new Map([['b', 0]]) }), 'b by wire');
});

test('neither this node’s own answers nor those of strangers make a holder', () => {
  assert.equal(believe({ look: looked('a', 'stranger'), claims: new Set(['a']) }), 'nobody');
});

test('what was heard some seconds ago no longer counts', () => {
  const claims = new Set(['b']);
  assert.equal(believe({ look: looked('b@4999'), claims }), 'b by wire');
  assert.equal(believe({ look: looked('b@5000'), claims }), 'nobody');
});

test('how long that counts is told, so that it can be asked again', () => {
  const evidence = { look: looked('b@100'), claims: new Set(['b']) };
  const facts = {
    me: 'a',
    isInMyKernel: false,
    slot: undefined,
    denied: new Map(),
    identities: identitiesOf('a', 'b'),
  };
  assert.deepEqual(whoHolds({ ...facts, ...evidence, now }), {
    node: 'b',
    evidence: 'wire',
    until: now + 4900,
  });
});

test('of two that answer the one heard last counts', () => {
  const claims = new Set(['b', 'c']);
  assert.equal(believe({ look: looked('c@10', 'b@20'), claims }), 'c by wire');
  assert.equal(believe({ look: looked('c@30', 'b@20'), claims }), 'b by wire');
});
