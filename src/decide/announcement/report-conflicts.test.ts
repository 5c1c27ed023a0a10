import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Conflict } from '../../model/conflict.ts';
import { familySamples } from './cluster.fixture.ts';
import { type ConflictFacts, reportConflicts } from './report-conflicts.ts';
import { now, wallNow } from './snapshot.fixture.ts';
import { macOfNode } from './wire.fixture.ts';

for (const { family, vip, vip2 } of familySamples) {
  const report = (mac: string, ago: number): Conflict => ({
    ip: vip,
    mac: macOfNode(mac),
    node: 'a',
    seenAt: wallNow - ago,
  });

  const reports = (
    before: readonly Conflict[],
    seen: string,
    facts: Partial<ConflictFacts> = {},
  ) => {
    const conflicts = seen === '' ? [] : [[vip, { mac: macOfNode(seen), at: now - 5000 }] as const];
    const usual: ConflictFacts = {
      node: 'a',
      decisions: [{ ip: vip, reason: 'addressConflict' }],
      conflicts: new Map(conflicts),
      now,
      wallNow,
    };
    return reportConflicts({ ...usual, ...facts }, before);
  };

  test(`${family}: what this node saw is reported with MAC and time`, () => {
    assert.deepEqual(reports([], ''), []);
    assert.deepEqual(reports([], 'x'), [report('x', 5000)]);
  });

  test(`${family}: what is reported keeps its time, so that the Lease is not written again`, () => {
    assert.deepEqual(reports([report('x', 6000)], 'x'), [report('x', 6000)]);
  });

  test(`${family}: another host, and another look at the same one, are another report`, () => {
    assert.deepEqual(reports([report('y', 5000)], 'x'), [report('x', 5000)]);
    assert.deepEqual(reports([report('x', 300_000)], 'x'), [report('x', 5000)]);
  });

  test(`${family}: what a member holds, this one or another, is not reported`, () => {
    for (const reason of ['electionWon', 'lostElection'] as const) {
      assert.deepEqual(reports([], 'x', { decisions: [{ ip: vip, reason }] }), []);
    }
  });

  test(`${family}: a report ends when no Service has the address, or the host is gone`, () => {
    const decisions = [{ ip: vip2, reason: 'addressConflict' }] as const;
    assert.deepEqual(reports([report('x', 5000)], 'x', { decisions }), []);
    assert.deepEqual(reports([report('x', 5000)], ''), []);
  });

  test(`${family}: a duplicate that the kernel found has no MAC to report`, () => {
    const conflicts = new Map([[vip, { mac: undefined, at: now }]]);
    assert.deepEqual(reports([], '', { conflicts }), []);
  });
}
