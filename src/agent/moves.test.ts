import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AddressDecision } from '../decide/announcement/address-decision.ts';
import { service } from '../decide/announcement/pool.fixture.ts';
import type { HandingOver } from '../decide/failover/hand-over.ts';
import { ipOf } from '../model/ip.ts';
import type { PlacementReason } from '../model/placement-reasons.ts';
import { Log } from '../runtime/log.ts';
import { Metrics } from '../runtime/metrics.ts';
import { AgentMetrics } from './agent-metrics.ts';
import { Moves } from './moves.ts';

const ip = ipOf('192.0.2.100');

function start() {
  const lines: string[] = [];
  const log = Log.create({ level: 'info', sink: (line) => lines.push(line), now: () => 0 });
  const metrics = new Metrics(() => {});
  const moves = new Moves({ log, metrics: new AgentMetrics(metrics) });
  const counted = () =>
    metrics
      .render()
      .split('\n')
      .filter((line) => line.startsWith('purelb_lbnodeagent_handovers_total{'));
  return { moves, lines, counted };
}

function decided(reason: PlacementReason, to?: string, failed?: string): AddressDecision {
  const handover: HandingOver = {
    role: 'holder',
    cause: 'move',
    to,
    chosenAt: 0,
    phase: { kind: 'naming' },
    failed: new Map(failed === undefined ? [] : [[failed, 1]]),
  };
  const isHanding = reason === 'handingOver' || reason === 'noSuccessor';
  return {
    ip,
    services: ['shop/web'],
    mode: 'local',
    outcome: { kind: 'absent' },
    reason,
    ...(isHanding && { handover }),
  };
}

test('the Lease names those that are to take over, until they have', () => {
  const { moves } = start();
  assert.equal(moves.handing, '');
  moves.note([decided('handingOver', 'node2')]);
  assert.equal(moves.handing, 'node2=192.0.2.100');
  moves.note([decided('noSuccessor')]);
  assert.equal(moves.handing, '');
  moves.note([decided('handingOver', 'node3')]);
  moves.note([decided('handedOver')]);
  assert.equal(moves.handing, '');
});

test('each handover is told when it begins and when it ends, and counted by its cause and outcome', () => {
  const { moves, lines, counted } = start();
  for (const decision of [
    decided('handingOver', 'node2'),
    decided('handingOver', 'node2'),
    decided('handingOver', 'node3', 'node2'),
    decided('handedOver'),
    decided('lostElection'),
    decided('handingOver', 'node2'),
    decided('electionWon'),
  ]) {
    moves.note([decision]);
  }
  assert.deepEqual(
    lines.map((line) => {
      const { msg, to, outcome } = JSON.parse(line);
      return [msg, to, outcome].filter((word) => word !== undefined).join(' ');
    }),
    [
      'Handing over node2',
      'Handing over node3',
      'Handover ended node2 refused',
      'Handover ended node3 completed',
      'Handing over node2',
      'Handover ended node2 cancelled',
    ],
  );
  assert.deepEqual(counted(), [
    'purelb_lbnodeagent_handovers_total{cause="move",outcome="cancelled"} 1',
    'purelb_lbnodeagent_handovers_total{cause="move",outcome="completed"} 1',
    'purelb_lbnodeagent_handovers_total{cause="move",outcome="refused"} 1',
  ]);
});

test('an address whose slot changed three times in three minutes stays', () => {
  const { moves } = start();
  const named = (node: string) =>
    service('web', [ip], { annotations: { 'purelb.io/announcing-IPv4': `${node},eth0,${ip}` } });
  const views = ['a', 'b', 'a', 'b'].map((node, index) =>
    moves.view([named(node)], undefined, index * 1000),
  );
  assert.deepEqual(
    views.map(({ damped }) => damped.get(ip)),
    [undefined, undefined, undefined, 183_000],
  );
});
