import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CandidateVerdict } from '../../model/placement-reasons.ts';
import type { AddressDecision } from '../announcement/address-decision.ts';
import { familySamples } from '../announcement/cluster.fixture.ts';
import { service } from '../announcement/pool.fixture.ts';
import { tellMoves } from './tell-moves.ts';

for (const { family, vip, farIp } of familySamples) {
  const wanted = {
    link: 'eth0',
    ip: vip,
    prefixLength: 24,
    validSeconds: 300,
    preferredSeconds: 300,
    noPrefixRoute: true,
    noDad: true,
  };
  /** Node `a` holds it; there are Nodes `a`, `b` and `x`, the last one without an agent. */
  function told(
    move: string,
    {
      verdict = 'eligible',
      winner = 'a',
      more = {},
    }: {
      verdict?: CandidateVerdict;
      winner?: string;
      more?: Partial<AddressDecision>;
    } = {},
  ): readonly string[] {
    const decision: AddressDecision = {
      ip: vip,
      services: ['shop/web'],
      mode: 'local',
      outcome: { kind: 'local', wanted },
      reason: 'electionWon',
      election: {
        winner,
        because: 'incumbent',
        candidates: [
          { node: 'a', verdict: 'eligible', isPreferred: false },
          { node: 'b', verdict, isPreferred: false },
        ],
        isFallback: false,
      },
      ...more,
    };
    const annotations = move === '' ? {} : { 'purelb.io/move': move };
    const facts = { node: 'a', electorate: { nodeNames: new Set(['a', 'b', 'x']) } };
    const news = tellMoves(decision, service('web', [vip], { annotations }), facts);
    return news.map(({ reason, message }) => `${reason}: ${message}`);
  }
  const refused = (node: string, why: string, ip = vip) => [
    `MoveRefused: purelb.io/move cannot move ${ip} to node ${node}: ${why}`,
  ];

  test(`${family}: a move that goes on is told with its reason, and nothing is refused`, () => {
    const handover = {
      role: 'holder',
      cause: 'move',
      to: 'b',
      chosenAt: 0,
      phase: { kind: 'naming' },
      failed: new Map(),
    } as const;
    assert.deepEqual(told(`${vip}=b`, { winner: 'b', more: { handover, reason: 'handingOver' } }), [
      `HandingOver: Node a hands ${vip} over to node b: purelb.io/move asks for it`,
    ]);
  });

  test(`${family}: what was not asked for, or is so already, is nothing to tell`, () => {
    assert.deepEqual(told(''), []);
    assert.deepEqual(told(`${vip}=a`), []);
  });

  test(`${family}: why a move is not carried out`, () => {
    assert.deepEqual(told(`${vip}=y`), refused('y', 'there is no node of this name'));
    assert.deepEqual(told(`${vip}=x`), refused('x', 'no agent runs on it'));
    assert.deepEqual(
      told(`${vip}=b`, { verdict: 'excludedByLabel' }),
      refused('b', 'its Node is labelled to take no part in load balancing'),
    );
    assert.deepEqual(
      told(`${vip}=b`),
      refused('b', 'its group or its Service decides where it is'),
    );
    assert.deepEqual(
      told(`${farIp}=b`),
      refused('b', 'it is not an address of this Service', farIp),
    );
  });

  test(`${family}: who does not hold it tells nothing`, () => {
    assert.deepEqual(told(`${vip}=y`, { more: { outcome: { kind: 'absent' } } }), []);
  });
}
