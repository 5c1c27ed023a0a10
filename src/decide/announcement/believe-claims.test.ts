import assert from 'node:assert/strict';
import { test } from 'node:test';
import { believeClaims } from './believe-claims.ts';
import { familySamples } from './cluster.fixture.ts';

for (const { family, vip } of familySamples) {
  /** `b 10, c 20`: who, and when. */
  const timesOf = (text: string) => {
    const pairs = text.split(', ').filter((part) => part !== '');
    if (pairs.length === 0) return new Map();
    const times = pairs.map((pair): [string, number] => {
      const [node = '', at = ''] = pair.split(' ');
      return [node, Number(at)];
    });
    return new Map([[vip, new Map(times)]]);
  };

  const believe = (announced: string, denied: string, admitted = '', signers = ''): string => {
    const {
      claims,
      announced: last,
      denied: denials,
    } = believeClaims({
      announcements: timesOf(announced),
      denials: timesOf(denied),
      admissions: timesOf(admitted),
      signers: new Set(signers.split(' ')),
    });
    const latest = last.get(vip);
    return [
      `claimed by ${[...(claims.get(vip) ?? [])].join(' and ') || 'nobody'}`,
      ...(latest === undefined ? [] : [`last by ${latest.node} at ${latest.at}`]),
      ...[...(denials.get(vip) ?? [])].map(([node, at]) => `denied by ${node} at ${at}`),
    ].join(', ');
  };

  for (const [name, announced, denied, expected] of [
    ['nobody said anything', '', '', 'claimed by nobody'],
    ['who announces it claims it', 'b 10', '', 'claimed by b, last by b at 10'],
    ['two may claim it', 'b 10, c 20', '', 'claimed by b and c, last by c at 20'],
    [
      'who denies it later claims it no more',
      'b 10',
      'b 30',
      'claimed by nobody, denied by b at 30',
    ],
    ['who announces it again does', 'b 40', 'b 30', 'claimed by b, last by b at 40'],
    [
      'what comes with the question may be newer than the answer',
      'b 30',
      'b 30',
      'claimed by b, last by b at 30',
    ],
    [
      'of two that announced it the other is still believed',
      'b 10, c 20',
      'c 30',
      'claimed by b, last by b at 10, denied by c at 30',
    ],
    ['who never announced it can deny it', '', 'b 30', 'claimed by nobody, denied by b at 30'],
  ] as const) {
    test(`${family}: ${name}`, () => {
      assert.equal(believe(announced, denied), expected);
    });
  }

  for (const [name, said, expected] of [
    [
      'what is announced in the name of a member that signs does not end its denial',
      ['b 40', 'b 30', '', 'b'],
      'claimed by b, last by b at 40, denied by b at 30',
    ],
    ['its own word does', ['b 10', 'b 30', 'b 40', 'b'], 'claimed by b, last by b at 40'],
    [
      'a signed word is a claim without any announcement',
      ['', '', 'b 40', 'b'],
      'claimed by b, last by b at 40',
    ],
    [
      'a denial after it ends it',
      ['b 10', 'b 50', 'b 40', 'b'],
      'claimed by nobody, denied by b at 50',
    ],
  ] as const) {
    test(`${family}: ${name}`, () => {
      const [announced, denied, admitted, signers] = said;
      assert.equal(believe(announced, denied, admitted, signers), expected);
    });
  }
}
