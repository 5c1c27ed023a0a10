import assert from 'node:assert/strict';
import { test } from 'node:test';
import { familySamples } from '../announcement/cluster.fixture.ts';
import { proveRival } from './prove-rival.ts';

const now = 100_000;

for (const { family, vip } of familySamples) {
  interface Case {
    readonly isWeak?: boolean;
    readonly isSigner?: boolean;
    /** How many ms ago. */
    readonly announced?: number;
    readonly affirmed?: number;
    readonly admitted?: number;
    readonly askedInVain?: number;
  }

  const prove = ({ isWeak = false, isSigner = true, announced, ...answers }: Case) => {
    const times = (ago: number | undefined) =>
      new Map(ago === undefined ? [] : [[vip, new Map([['b', now - ago]])]]);
    const wire = {
      announced: new Map(
        announced === undefined ? [] : [[vip, { node: 'b', at: now - announced }]],
      ),
      signers: new Set(isSigner ? ['b'] : []),
      affirmed: times(answers.affirmed),
      admitted: times(answers.admitted),
      unanswered: times(answers.askedInVain),
    };
    return proveRival({ ip: vip, rival: 'b', isWeak }, wire, now);
  };

  for (const [name, given, expected] of [
    ['a rival that signs needs more than frames', { announced: 0 }, 'missing'],
    ['its own word will do', { affirmed: 100, admitted: 100 }, 'given'],
    ['which is forgotten after 3 s', { affirmed: 3_000 }, 'missing'],
    ['a word with doubt takes nothing from one that is sure', { admitted: 100 }, 'missing'],
    ['and does from one that is not', { isWeak: true, admitted: 100 }, 'given'],
    ['one that is not waits for it', { isWeak: true, announced: 0, askedInVain: 100 }, 'awaited'],
    ['from before it has asked', { isWeak: true, announced: 0 }, 'awaited'],
    ['and for 2 s at most', { isWeak: true, announced: 0, askedInVain: 2_000 }, 'given'],
    ['silence proves nothing to one that is sure', { announced: 0, askedInVain: 9_000 }, 'missing'],
    ['whoever does not sign announces', { isSigner: false, announced: 100 }, 'given'],
    ['and is not believed long after', { isSigner: false, announced: 3_000 }, 'missing'],
    ['to a weak one it need not even announce', { isSigner: false, isWeak: true }, 'given'],
  ] as const) {
    test(`${family}: ${name}`, () => {
      assert.equal(prove(given), expected);
    });
  }
}
