import assert from 'node:assert/strict';
import { test } from 'node:test';
import { familySamples } from '../announcement/cluster.fixture.ts';
import { rankNodes } from '../announcement/rank-nodes.ts';
import { judgeRival, type RivalFacts } from './judge-rival.ts';

for (const { family, vip } of familySamples) {
  const [better = '', worse = ''] = rankNodes(vip, ['a', 'b']);
  const usual = {
    ip: vip,
    isDoubtful: false,
    slot: undefined,
    isBlind: false,
    isUnaware: false,
    insistsMs: -Infinity,
  };

  /** What the better and the worse one in rank do. */
  const both = (more: Partial<RivalFacts> = {}) => [
    judgeRival({ ...usual, me: better, rival: worse, ...more }),
    judgeRival({ ...usual, me: worse, rival: better, ...more }),
  ];

  const cases: readonly [string, Partial<RivalFacts>, readonly string[]][] = [
    [
      'who may have missed something yields, whatever the slot says',
      { isDoubtful: true, slot: better },
      ['yield', 'yield'],
    ],
    ['the one in the slot stays', { slot: better }, ['stay', 'yield']],
    ['the one in the slot stays, also of worse rank', { slot: worse }, ['yield', 'stay']],
    ['where the slot names neither, the better rank stays', { slot: 'c' }, ['stay', 'yield']],
    ['where there is no slot, the better rank stays', {}, ['stay', 'yield']],
    [
      'who cannot reach the API server goes by rank',
      { slot: worse, isBlind: true },
      ['stay', 'yield'],
    ],
    [
      'who cannot know better yields to one that insists, the worse in rank sooner',
      { isUnaware: true, slot: better, insistsMs: 300 },
      ['stay', 'yield'],
    ],
    [
      'and the better one a little later',
      { isUnaware: true, slot: better, insistsMs: 500 },
      ['yield', 'yield'],
    ],
    [
      'who knows what the slot says stays, however long the other insists',
      { slot: better, insistsMs: 5_000 },
      ['stay', 'yield'],
    ],
  ];
  for (const [name, facts, expected] of cases) {
    test(`${family}: of two holders: ${name}`, () => assert.deepEqual(both(facts), expected));
  }
}
