import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ipOf } from '../../model/ip.ts';
import { familySamples } from '../announcement/cluster.fixture.ts';
import { identitiesOf, macOfNode } from '../announcement/wire.fixture.ts';
import { type InquiryFacts, inquiryKey, planInquiries } from './plan-inquiries.ts';

for (const { family, vip } of familySamples) {
  interface Case {
    readonly answers?: string;
    readonly announced?: { readonly node: string; readonly at: number };
    readonly denied?: Readonly<Record<string, number>>;
    readonly admitted?: Readonly<Record<string, number>>;
    readonly signers?: readonly string[];
    readonly askedAt?: Readonly<Record<string, number>>;
    readonly now?: number;
  }

  /** The wire was asked at 1000; who is asked now by itself, and when there is more to do. */
  const plan = (given: Case) => {
    const { answers = 'b c', announced, denied = {}, askedAt = {}, now = 1_005 } = given;
    const { admitted = {}, signers = [] } = given;
    const macs = answers.split(' ').filter((name) => name !== '');
    const look = {
      link: 'eth0',
      sentAt: [1_000, 1_020],
      answers: macs.map((name) => ({ mac: macOfNode(name), at: 1_001 })),
      isDeaf: false,
    };
    const facts: InquiryFacts = {
      me: 'a',
      wire: {
        looks: new Map([[vip, look]]),
        identities: identitiesOf('a', 'b', 'c'),
        announced: new Map(announced === undefined ? [] : [[vip, announced]]),
        denied: new Map([[vip, new Map(Object.entries(denied))]]),
        admitted: new Map([[vip, new Map(Object.entries(admitted))]]),
        signers: new Set(signers),
      },
      askedAt: new Map(Object.entries(askedAt).map(([node, at]) => [`${vip} ${node}`, at])),
      now,
    };
    const { due, wakeAt } = planInquiries(facts);
    return `${due.map(({ node }) => node).join(' and ') || 'nobody'}, again at ${wakeAt}`;
  };

  for (const [name, facts, expected] of [
    ['every member that answers is asked', {}, 'b and c, again at 1205'],
    ['where nobody answers nobody is', { answers: '' }, 'nobody, again at Infinity'],
    [
      'who signs is asked whatever was announced in its name',
      { announced: { node: 'b', at: 1_003 }, signers: ['b'] },
      'b and c, again at 1205',
    ],
    [
      'and is not once it has said itself that it holds it',
      { admitted: { b: 1_003 }, signers: ['b'] },
      'c, again at 1205',
    ],
    ['neither strangers nor this node are', { answers: 'x a' }, 'nobody, again at Infinity'],
    [
      'one that is asked has time to say something',
      { askedAt: { b: 1_002, c: 900 } },
      'nobody, again at 1100',
    ],
    [
      'one that says nothing is asked again',
      { askedAt: { b: 1_002 }, now: 1_202 },
      'b and c, again at 1402',
    ],
    [
      'one that denies it is not',
      { denied: { b: 1_003 }, askedAt: { c: 1_003 }, now: 1_300 },
      'c, again at 1500',
    ],
    [
      'what it denied before the look counts no more',
      { denied: { b: 999 } },
      'b and c, again at 1205',
    ],
    ['nor is one that announces it', { announced: { node: 'b', at: 1_002 } }, 'c, again at 1205'],
    [
      'an old announcement is no answer',
      { announced: { node: 'b', at: 999 } },
      'b and c, again at 1205',
    ],
    [
      'in the end there is nobody who could say anything',
      { now: 3_000 },
      'nobody, again at Infinity',
    ],
  ] as const) {
    test(`${family}: ${name}`, () => {
      assert.equal(plan(facts), expected);
    });
  }
}

test('hundreds of addresses that a dead agent left behind share a bounded number of repeated questions', () => {
  const ips = Array.from({ length: 188 }, (_, index) => ipOf(`198.18.4.${index}`));
  const look = {
    link: 'eth0',
    sentAt: [0],
    answers: [{ mac: macOfNode('b'), at: 1 }],
    isDeaf: false,
  };
  const wire = {
    looks: new Map(ips.map((ip) => [ip, look])),
    identities: identitiesOf('a', 'b'),
    announced: new Map(),
    denied: new Map(),
    admitted: new Map(),
    signers: new Set<string>(),
  };
  const askedAt = new Map<string, number>();
  const perIp = new Map<string, number>();
  // Other things wake the agent in between: more passes are no more questions.
  for (let now = 10; now < 2_000; now += 20) {
    for (const inquiry of planInquiries({ me: 'a', wire, askedAt, now }).due) {
      askedAt.set(inquiryKey(inquiry), now);
      perIp.set(inquiry.ip, (perIp.get(inquiry.ip) ?? 0) + 1);
    }
  }
  const total = [...perIp.values()].reduce((sum, count) => sum + count, 0);
  assert.ok(total <= 188 + 10 * 10, `${total} questions in two seconds`);
  assert.equal(perIp.size, 188, 'each is asked for once, at once');
  assert.ok(Math.max(...perIp.values()) <= 2, 'and the repetitions go round');
});
