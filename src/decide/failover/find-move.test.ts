import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CandidateVerdict } from '../../model/placement-reasons.ts';
import type { Election } from '../announcement/elect.ts';
import { findMove } from './find-move.ts';

interface Spec {
  readonly winner?: string | undefined;
  readonly because?: Election['because'];
  /** `a:excludedByLabel b c*`: eligible where nothing is said; preferred with a star. */
  readonly candidates: string;
  readonly peers?: string;
}

function check(name: string, spec: Spec, expected: ReturnType<typeof findMove>): void {
  const { winner = 'b', because = 'hash', candidates, peers = 'a b c' } = spec;
  test(name, () => {
    const election: Election = {
      winner: winner === '' ? undefined : winner,
      because,
      isFallback: false,
      candidates: candidates.split(' ').map((text) => {
        const [node = '', verdict = 'eligible'] = text.replace('*', '').split(':');
        return { node, verdict: verdict as CandidateVerdict, isPreferred: text.endsWith('*') };
      }),
    };
    assert.deepEqual(findMove(election, 'a', new Set(peers.split(' '))), expected);
  });
}

check('the winner keeps it', { winner: 'a', candidates: 'a b c' }, undefined);
check(
  'where nobody may hold it there is nobody to give it to',
  { winner: '', candidates: 'a' },
  undefined,
);
check(
  'an excluded node hands over to the winner, else to the next in rank',
  { candidates: 'c a:excludedByLabel b d:silent' },
  { cause: 'excluded', successors: ['b', 'c'] },
);
for (const [verdict, cause] of [
  ['beingRemoved', 'removed'],
  ['nodeGone', 'removed'],
  ['shuttingDown', 'shutdown'],
  ['otherSubnet', 'configuration'],
  ['noEndpoints', 'endpoints'],
] as const) {
  check(
    `${verdict} is a move because of ${cause}`,
    { candidates: `a:${verdict} b` },
    { cause, successors: ['b'] },
  );
}
for (const verdict of ['linkNotReady', 'addFailed', 'silent']) {
  check(`${verdict} is none: it cannot serve on`, { candidates: `a:${verdict} b` }, 'plain');
}
check(
  'a move that was asked for goes there or nowhere',
  { because: 'asked', candidates: 'a b c' },
  { cause: 'move', successors: ['b'] },
);
check(
  'affinity moves it to where endpoints are',
  { candidates: 'a b* c*' },
  { cause: 'affinity', successors: ['b'] },
);
check(
  'placement by hash moves it to the best',
  { candidates: 'b a c' },
  { cause: 'hash', successors: ['b'] },
);
check(
  'a winner of another protocol version gets it by silence',
  { candidates: 'a:excludedByLabel b c', peers: 'a c' },
  'plain',
);
check(
  'the next in rank must speak the protocol too',
  { candidates: 'a:excludedByLabel b c', peers: 'a b' },
  { cause: 'excluded', successors: ['b'] },
);
