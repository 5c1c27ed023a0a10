import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Conflict, encodeConflicts } from '../../model/conflict.ts';
import type { Ip } from '../../model/ip.ts';
import { familySamples } from './cluster.fixture.ts';
import { type ConflictFacts, markConflicts } from './mark-conflicts.ts';
import { service } from './pool.fixture.ts';
import { now, wallNow } from './snapshot.fixture.ts';
import { macOfNode } from './wire.fixture.ts';

for (const { family, vip, vip2 } of familySamples) {
  const mark = (ip: Ip, mac: string, ago: number, node = 'a'): Conflict => ({
    ip,
    mac: macOfNode(mac),
    node,
    seenAt: wallNow - ago,
  });

  const marks = (
    written: readonly Conflict[],
    seen: string,
    facts: Partial<ConflictFacts> = {},
  ) => {
    const annotations = { 'purelb.io/conflict': encodeConflicts(written) };
    const conflicts = seen === '' ? [] : [[vip, { mac: macOfNode(seen), at: now - 5000 }] as const];
    return markConflicts(service('web', [vip], { annotations }), {
      node: 'a',
      decisions: [{ ip: vip, reason: 'addressConflict' }],
      held: new Set(),
      conflicts: new Map(conflicts),
      now,
      wallNow,
      ...facts,
    });
  };

  test(`${family}: what this node saw is written down with MAC, node and time`, () => {
    assert.deepEqual(marks([], ''), []);
    assert.deepEqual(marks([], 'x'), [mark(vip, 'x', 5000)]);
  });

  test(`${family}: what is written is not written again`, () => {
    assert.deepEqual(marks([mark(vip, 'x', 6000)], 'x'), [mark(vip, 'x', 6000)]);
    assert.deepEqual(marks([mark(vip, 'x', 6000, 'b')], ''), [mark(vip, 'x', 6000, 'b')]);
  });

  test(`${family}: another host, and another look at the same one, replace the mark`, () => {
    assert.deepEqual(marks([mark(vip, 'y', 5000)], 'x'), [mark(vip, 'x', 5000)]);
    assert.deepEqual(marks([mark(vip, 'x', 300_000)], 'x'), [mark(vip, 'x', 5000)]);
  });

  test(`${family}: what another member holds is not marked, or the two would write for ever`, () => {
    const decisions = [{ ip: vip, reason: 'lostElection' }] as const;
    assert.deepEqual(marks([], 'x', { decisions }), []);
    const written = [mark(vip, 'x', 6000, 'b')];
    assert.deepEqual(marks(written, 'x', { decisions }), written);
  });

  test(`${family}: a mark goes with the address, or when this node has it after all`, () => {
    assert.deepEqual(marks([mark(vip2, 'x', 5000)], ''), []);
    const held = new Set([`${vip}/24@eth0`]);
    const decisions = [{ ip: vip, reason: 'electionWon' }] as const;
    assert.deepEqual(marks([mark(vip, 'x', 5000)], 'x', { held, decisions }), []);
  });

  test(`${family}: a duplicate that the kernel found has no MAC to write down`, () => {
    const conflicts = new Map([[vip, { mac: undefined, at: now }]]);
    assert.deepEqual(marks([], '', { conflicts }), []);
  });
}
