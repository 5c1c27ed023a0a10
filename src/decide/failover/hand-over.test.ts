import assert from 'node:assert/strict';
import { test } from 'node:test';
import { familySamples } from '../announcement/cluster.fixture.ts';
import type { Look } from '../announcement/who-holds.ts';
import { identitiesOf, macOfNode } from '../announcement/wire.fixture.ts';
import { type HandingOver, type HandoverFacts, type HandoverStep, handOver } from './hand-over.ts';

const wish = { cause: 'excluded', successors: ['b', 'c'] } as const;
const nobody = new Map<string, number>();

for (const { family, vip } of familySamples) {
  const usual: HandoverFacts = {
    ip: vip,
    link: 'eth0',
    wish,
    before: undefined,
    named: undefined,
    isLeaseOurs: true,
    taker: undefined,
    announced: undefined,
    look: undefined,
    identities: identitiesOf('a', 'b', 'c'),
    overlapMs: 500,
    timeoutMs: 3_000,
    now: 10_000,
  };

  const state = (phase: HandingOver['phase'], more: Partial<HandingOver> = {}): HandingOver => ({
    role: 'holder',
    cause: 'excluded',
    to: 'b',
    chosenAt: 9_000,
    phase,
    failed: nobody,
    ...more,
  });
  const named = (since: number, more: Partial<HandingOver> = {}) =>
    state({ kind: 'named', since }, more);
  const overlap = (since: number, askingSince?: number) =>
    state({ kind: 'overlap', since, ...(askingSince === undefined ? {} : { askingSince }) });

  /** Asked at a time, and who answered a moment later. */
  const asked = (at: number, node?: string, more: Partial<Look> = {}): Look => ({
    link: 'eth0',
    sentAt: [at],
    answers: node === undefined ? [] : [{ mac: macOfNode(node), at: at + 1 }],
    isDeaf: false,
    ...more,
  });

  /** `serve b named since 9500, asks, wakes at 12500; passes over c`. */
  function describe(step: HandoverStep): string {
    if (step.kind === 'stay') return step.announces ? 'stay, announces' : 'stay';
    if (step.kind === 'leave') return 'leave';
    if (step.kind === 'release') return `release to ${step.to} (${step.cause})`;
    const { to = 'nobody', phase, failed } = step.state;
    const asking = phase.kind === 'overlap' ? phase.askingSince : undefined;
    const since =
      ('since' in phase ? ` since ${phase.since}` : '') +
      (asking ? `, asking since ${asking}` : '');
    const asks = step.asks.map((ask) => `, asks ${ask.isPrivate ? ask.to.join(' ') : 'all'}`);
    const wakes = step.wakeAt === Infinity ? '' : `, wakes at ${step.wakeAt}`;
    const passed = [...failed].map(([node, until]) => `, not ${node} until ${until}`);
    return `serve, ${phase.kind} ${to}${since}${asks.join('')}${wakes}${passed.join('')}`;
  }

  const check = (name: string, facts: Partial<HandoverFacts>, expected: string): void => {
    test(`${family}: ${name}`, () => {
      assert.equal(describe(handOver({ ...usual, ...facts })), expected);
    });
  };

  check('what is to stay stays', { wish: undefined }, 'stay');
  check('the best successor is named first', {}, 'serve, naming b');
  check(
    'while the Lease cannot be written the address is served on, however long that takes',
    { before: state({ kind: 'naming' }), now: 900_000 },
    'serve, naming b',
  );
  check(
    'once the Lease names it, the successor has three seconds',
    { before: state({ kind: 'naming' }), named: 'b' },
    'serve, named b since 10000, wakes at 13000',
  );
  check(
    'a Lease that names someone else says nothing',
    { before: state({ kind: 'naming' }), named: 'c' },
    'serve, naming b',
  );
  check(
    'one that has not said that it holds the address is not asked',
    { before: named(9_500), look: asked(9_600, 'b') },
    'serve, named b since 9500, wakes at 12500',
  );
  check(
    'an announcement from before it was chosen does not count',
    { before: named(9_500), announced: { node: 'b', at: 8_999 } },
    'serve, named b since 9500, wakes at 12500',
  );
  check(
    "another member's announcement does not count",
    { before: named(9_500), announced: { node: 'c', at: 9_900 } },
    'serve, named b since 9500, wakes at 12500',
  );
  const givenUp = { failed: new Map([['b', 39_800]]) };
  check(
    'a successor that was given up and announces the address late is asked: the move to it is completed',
    {
      before: state({ kind: 'naming' }, { to: 'c', chosenAt: 9_800, ...givenUp }),
      announced: { node: 'b', at: 9_950 },
    },
    `serve, named b since 10000, asks ${macOfNode('b')}, wakes at 10100, not b until 39800`,
  );
  check(
    'a late successor that answers serves together with the owner since it announced the address',
    {
      before: named(9_960, { chosenAt: 9_950, ...givenUp }),
      announced: { node: 'b', at: 9_950 },
      look: asked(9_990, 'b'),
    },
    'serve, overlap b since 9950, wakes at 10450, not b until 39800',
  );
  check(
    'what a successor announced before it was given up does not bring it back',
    {
      before: state({ kind: 'naming' }, { to: 'c', chosenAt: 9_800, ...givenUp }),
      announced: { node: 'b', at: 9_799 },
    },
    'serve, naming c, not b until 39800',
  );
  check(
    'once it announced the address it is asked by a frame to its MAC alone',
    { before: named(9_500), announced: { node: 'b', at: 9_900 } },
    `serve, named b since 9500, asks ${macOfNode('b')}, wakes at 10100`,
  );
  check(
    'and so where only its slot tells',
    { before: named(9_500), taker: 'b' },
    `serve, named b since 9500, asks ${macOfNode('b')}, wakes at 10100`,
  );
  check(
    'its answer is waited for',
    { before: named(9_500), taker: 'b', look: asked(9_950) },
    'serve, named b since 9500, wakes at 10050',
  );
  check(
    'what is not answered is asked again',
    { before: named(9_500), taker: 'b', look: asked(9_900) },
    `serve, named b since 9500, asks ${macOfNode('b')}, wakes at 10100`,
  );
  check(
    'where frames were lost it is asked again at once',
    { before: named(9_500), taker: 'b', look: asked(9_950, 'b', { isDeaf: true }) },
    `serve, named b since 9500, asks ${macOfNode('b')}, wakes at 10100`,
  );
  check(
    'the answer of another is none',
    { before: named(9_500), taker: 'b', look: asked(9_950, 'c') },
    'serve, named b since 9500, wakes at 10050',
  );
  check(
    'what was answered on another link is none',
    { before: named(9_500), taker: 'b', look: asked(9_950, 'b', { link: 'eth1' }) },
    'serve, named b since 9500, wakes at 10050',
  );
  check(
    'its answer begins the overlap',
    { before: named(9_500), taker: 'b', look: asked(9_950, 'b') },
    'serve, overlap b since 10000, wakes at 10500',
  );
  check(
    'it began when the neighbours heard of it, however late this node gets to ask',
    { before: named(9_500), announced: { node: 'b', at: 9_700 }, look: asked(9_950, 'b') },
    'serve, overlap b since 9700, wakes at 10200',
  );
  check(
    'an announcement by a clock that is ahead begins it now',
    { before: named(9_500), announced: { node: 'b', at: 10_001 }, look: asked(9_950, 'b') },
    'serve, overlap b since 10000, wakes at 10500',
  );
  check(
    'who does not come within three seconds is passed over, and the next in rank is named',
    { before: named(7_000) },
    'serve, naming c, not b until 40000',
  );
  check(
    'when nobody is left, the address is served on and all are tried anew later',
    {
      before: named(7_000, { to: 'c', failed: new Map([['b', 20_000]]) }),
    },
    'serve, naming nobody, wakes at 20000, not b until 20000, not c until 40000',
  );
  check(
    'one that was passed over is tried again after its time',
    { before: state({ kind: 'naming' }, { to: undefined, failed: new Map([['b', 10_000]]) }) },
    'serve, naming b',
  );
  check(
    'a named one stays named, though a better one turns up',
    { before: named(9_500, { to: 'c' }) },
    'serve, named c since 9500, wakes at 12500',
  );
  check(
    'a second request replaces the first while nobody has answered',
    { before: named(9_500), wish: { cause: 'move', successors: ['c'] } },
    'serve, naming c',
  );
  check(
    'a successor that took it just when another was named is asked: of two holders the one in the slot stays',
    { before: named(9_500, { to: 'c' }), taker: 'b' },
    `serve, named b since 10000, asks ${macOfNode('b')}, wakes at 10100`,
  );
  check(
    'one that took it and cannot be heard is asked on and on: nobody else can take it meanwhile',
    { before: named(1_000), taker: 'b', look: asked(9_900) },
    `serve, named b since 1000, asks ${macOfNode('b')}, wakes at 10100`,
  );
  check(
    'also when it fell silent in the overlap',
    { before: overlap(9_000, 9_500), taker: 'b', look: asked(9_950) },
    `serve, named b since 10000, asks ${macOfNode('b')}, wakes at 10100, not b until 40000`,
  );
  check(
    'a request that the successor took off as carried out is carried out to its end',
    { before: named(9_500), wish: undefined, taker: 'b', look: asked(9_950, 'b') },
    'serve, overlap b since 10000, wakes at 10500',
  );
  check(
    'a request taken back leaves the address here, and the neighbours are told so',
    { before: named(9_500), wish: undefined },
    'stay, announces',
  );
  check(
    'a request taken back before anyone could know of it changes nothing',
    { before: state({ kind: 'naming' }), wish: undefined },
    'stay',
  );

  check(
    'in the overlap both serve',
    { before: overlap(9_600) },
    'serve, overlap b since 9600, wakes at 10100',
  );
  check(
    'in the overlap a second request waits: the first is carried out',
    { before: overlap(9_600), wish: { cause: 'move', successors: ['c'] } },
    'serve, overlap b since 9600, wakes at 10100',
  );
  check(
    'in the overlap it is too late to take a request back',
    { before: overlap(9_600), wish: undefined },
    'serve, overlap b since 9600, wakes at 10100',
  );
  check(
    'after the overlap it is asked again',
    { before: overlap(9_500), look: asked(9_400, 'b') },
    `serve, overlap b since 9500, asking since 10000, asks ${macOfNode('b')}, wakes at 10100`,
  );
  check(
    'and only an answer to that lets the address go',
    { before: overlap(9_450, 9_960), look: asked(9_960, 'b') },
    'release to b (excluded)',
  );
  check(
    'the answer of another does not',
    { before: overlap(9_450, 9_960), look: asked(9_960, 'c') },
    'serve, overlap b since 9450, asking since 9960, wakes at 10060',
  );
  check(
    'an answer of long ago is asked for again: this process stood still meanwhile',
    { before: overlap(8_000, 8_500), look: asked(8_500, 'b') },
    `serve, overlap b since 8000, asking since 10000, asks ${macOfNode('b')}, wakes at 10100`,
  );
  check(
    'a successor that fell silent in the overlap is passed over, and the address has not left',
    { before: overlap(9_000, 9_500), look: asked(9_950) },
    'serve, naming c, not b until 40000',
  );
  check(
    'a successor that fell silent, with nothing left to do: the address stays, and is announced',
    { before: overlap(9_000, 9_500), wish: undefined },
    'stay, announces',
  );
  check(
    'where a newer process writes the Lease, everything is left to that one',
    { before: overlap(9_450, 9_960), look: asked(9_960, 'b'), isLeaseOurs: false },
    'leave',
  );
}
