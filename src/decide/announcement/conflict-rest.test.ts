import assert from 'node:assert/strict';
import { test } from 'node:test';
import { familySamples } from './cluster.fixture.ts';
import { conflictRestMs, findRest } from './conflict-rest.ts';
import { now, type SnapshotSpec, snapshotOf, wallNow } from './snapshot.fixture.ts';
import { macOfNode } from './wire.fixture.ts';

for (const { family, vip, vip2 } of familySamples) {
  const rest = (spec: SnapshotSpec, mark?: { readonly ago: number; readonly ip?: string }) => {
    const conflict = {
      ip: vip,
      mac: macOfNode('x'),
      node: 'b',
      seenAt: wallNow - (mark?.ago ?? 0),
    };
    const ip = mark?.ip === undefined ? vip : vip2;
    const reports = new Map(mark === undefined ? [] : [[vip, conflict] as const]);
    const found = findRest({ ip }, { ...snapshotOf(spec), reports });
    return found && `${found.reason} for ${found.wakeAt - now}`;
  };
  const seen = (ago: number) => ({
    wire: { conflicts: new Map([[vip, { mac: macOfNode('x'), at: now - ago }]]) },
  });

  test(`${family}: what nobody complained of does not rest`, () => {
    assert.equal(rest({}), undefined);
  });

  test(`${family}: F11: a conflict that this node saw rests, and then is looked at again`, () => {
    assert.equal(rest(seen(1000)), `addressConflict for ${conflictRestMs - 1000}`);
    assert.equal(rest(seen(conflictRestMs)), undefined);
  });

  test(`${family}: F11: so does one that another node reports on its Lease`, () => {
    assert.equal(rest({}, { ago: 2000 }), `addressConflict for ${conflictRestMs - 2000}`);
    assert.equal(rest({}, { ago: conflictRestMs }), undefined);
    assert.equal(rest({}, { ago: 2000, ip: vip2 }), undefined);
  });

  test(`${family}: F10: a report from a clock that is ahead rests no longer than any other`, () => {
    assert.equal(rest({}, { ago: -3_600_000 }), `addressConflict for ${conflictRestMs}`);
  });

  test(`${family}: an address in quarantine rests until its end`, () => {
    const until = (ms: number) => ({ more: { quarantine: new Map([[vip, wallNow + ms]]) } });
    assert.equal(rest(until(5000)), 'quarantined for 5000');
    assert.equal(rest(until(0)), undefined);
  });
}
