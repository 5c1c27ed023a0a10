import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AddressDecision } from '../decide/announcement/address-decision.ts';
import { ipOf } from '../model/ip.ts';
import type { PlacementReason } from '../model/placement-reasons.ts';
import type { Log } from '../runtime/log.ts';
import { DecisionLog } from './agent-log.ts';

const ip = ipOf('192.0.2.100');

function decided(reason: PlacementReason): AddressDecision {
  const wanted = {
    link: 'eth0',
    ip,
    prefixLength: 24,
    validSeconds: 300,
    preferredSeconds: 300,
    noPrefixRoute: true,
    noDad: true,
  };
  const isHere = reason === 'electionWon';
  const outcome = isHere ? ({ kind: 'local', wanted } as const) : ({ kind: 'absent' } as const);
  return { ip, services: ['shop/web'], mode: 'local', outcome, reason };
}

/** What is said, decision after decision; undefined is a pass without the address. */
function said(...reasons: readonly (PlacementReason | undefined)[]): readonly string[] {
  const lines: string[] = [];
  const say = (level: string) => (_message: string, fields: { op: string }) =>
    lines.push(`${level} ${fields.op}`);
  const log = new DecisionLog({ info: say('info'), debug: say('debug') } as unknown as Log);
  for (const reason of reasons) log.note(reason === undefined ? [] : [decided(reason)]);
  return lines;
}

test('an address of another subnet is no more worth telling than a lost election, unless it was here', () => {
  assert.deepEqual(said('noLocalInterface'), ['debug noLocalInterface']);
  assert.deepEqual(said('electionWon', 'noLocalInterface')[1], 'info noLocalInterface');
});

test('an address that waits for the endpoints of its Service is told only where it is', () => {
  assert.deepEqual(said('endpointsUnknown'), ['debug endpointsUnknown']);
  assert.deepEqual(said('electionWon', 'endpointsUnknown')[1], 'info endpointsUnknown');
});

test('a decision is told when it changes, not each time that it is made', () => {
  const lines = ['info electionWon', 'info noEligibleNodes'];
  assert.deepEqual(said('electionWon', 'electionWon', 'noEligibleNodes', 'noEligibleNodes'), lines);
  assert.deepEqual(said('electionWon', undefined, 'electionWon').length, 2);
});

test('of an address that others hold only the node that had it speaks', () => {
  assert.deepEqual(said('askingTheWire', 'lostElection'), [
    'debug askingTheWire',
    'debug lostElection',
  ]);
  assert.deepEqual(said('electionWon', 'lostElection'), ['info electionWon', 'info lostElection']);
});
