import assert from 'node:assert/strict';
import { test } from 'node:test';
import { familySamples } from './cluster.fixture.ts';
import { judgeStranger, type StrangerVerdict } from './judge-stranger.ts';
import type { LookQuestion } from './look-before-add.ts';
import { identitiesOf, macOfNode } from './wire.fixture.ts';

for (const { family, vip, vips } of familySamples) {
  const controlIps = vips.slice(-2);

  /** What was asked and heard for each control, `6 106: x y`, and when the stranger answered for the address itself. */
  const judge = (now: number, texts: readonly string[], itself = '5', waitMs = 20): string => {
    const controls = texts.map((text, index) => {
      const [sent = '', heard = ''] = text.split(':');
      const sentAt = wordsOf(sent).map(Number);
      const answers = wordsOf(heard).map((name) => ({ mac: macOfNode(name), at: now }));
      const look = { link: 'eth0', sentAt, answers, isDeaf: false };
      return { ip: controlIps[index] ?? vip, look: sentAt.length === 0 ? undefined : look };
    });
    const answers = wordsOf(itself).map((at) => ({ mac: macOfNode('x'), at: Number(at) }));
    const look = { link: 'eth0', sentAt: [0], answers, isDeaf: false };
    const question: LookQuestion = {
      me: 'a',
      ip: vip,
      link: 'eth0',
      check: { mode: 'Quick', waitMs, keepsKernelDad: false, quarantineMs: 0 },
      skipsCheck: false,
      slot: undefined,
      claims: new Set(),
      denied: new Map(),
      look,
      controls,
      proxies: new Set(),
      identities: identitiesOf('a', 'b'),
      suspects: [],
      now,
    };
    return describe(judgeStranger(question, look, macOfNode('x')));
  };

  const describe = (verdict: StrangerVerdict): string => {
    if (verdict === 'proxy') return 'proxy';
    if (verdict.kind === 'conflict') return 'conflict';
    if (verdict.kind === 'wait') return `wait until ${verdict.until}`;
    const asked = verdict.asks.map(({ ip, isFirst, to, isPrivate }) => {
      assert.deepEqual([to, isPrivate ?? false], [[macOfNode('x')], !isFirst]);
      return `${isFirst ? 'first' : 'again'} ${ip === vip ? 'it' : controlIps.indexOf(ip) + 1}`;
    });
    return `ask ${asked.join(', ')}`;
  };

  const all = '6 106 206 306 406';
  for (const [name, now, texts, itself, expected] of [
    ['without controls it is believed', 6, [], '5', 'conflict'],
    ['both are asked for', 6, ['', ''], '5', 'ask first 1, first 2, again it'],
    [
      'what was asked before it was heard is asked anew',
      6,
      ['-5', '-5'],
      '5',
      'ask first 1, first 2, again it',
    ],
    ['an answer to both makes a proxy', 8, ['6: x', '6: x'], '5', 'proxy'],
    ['an answer to one is waited for', 8, ['6: x', '6'], '5', 'wait until 106'],
    ['what was not answered is asked again', 106, ['6: x', '6'], '5', 'ask again 2, again it'],
    ['and so on', 306, ['6 106 206', '6 106 206'], '5', 'ask again 1, again 2, again it'],
    ['the last answer is waited for, too', 500, [all, all], '7 107 207', 'wait until 506'],
    ['one that answers for the address alone is a host', 506, [all, all], '7 107 207', 'conflict'],
    ['one of two is not enough', 506, ['6: x', all], '7 107 207 307 407', 'conflict'],
    ['answers of others mean nothing', 506, ['6: x', `${all}: y`], '7 107 207', 'conflict'],
    ['a late answer is an answer', 490, [`${all}: x`, `${all}: y x`], '7 107', 'proxy'],
    ['one that is not heard itself proves nothing', 506, [all, all], '7 107', 'ask first it'],
  ] as const) {
    test(`${family}: a stranger: ${name}`, () => {
      assert.equal(judge(now, texts, itself), expected);
    });
  }

  test(`${family}: a stranger: who waits longer for answers waits longer for these`, () => {
    assert.equal(judge(8, ['6', '6'], '5', 500), 'wait until 506');
  });
}

function wordsOf(text: string): readonly string[] {
  return text.split(' ').filter((word) => word !== '');
}
