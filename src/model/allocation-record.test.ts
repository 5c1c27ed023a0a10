import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeAllocation, joinNotes, poolsOf, readAllocation } from './allocation-record.ts';
import type { Condition } from './condition.ts';
import { ipOf } from './ip.ts';

const ips = [ipOf('192.0.2.7'), ipOf('2001:db8::7')];

function condition(message: string, type = 'Allocated'): Condition {
  const rest = { reason: 'Allocated', observedGeneration: undefined, changedAt: 0 } as const;
  return { type, status: 'True', message, ...rest };
}

test('what was given is read from the condition as it was written', () => {
  for (const pools of [[], ['default'], ['default', 'netbox']]) {
    const summary = describeAllocation({ ips, pools });
    for (const notes of [[], ['pool "a" is asked for; kept', 'more from pool b']]) {
      const read = readAllocation([
        condition('', 'Announced'),
        condition(joinNotes(summary, notes)),
      ]);
      assert.deepEqual(read, { ips, pools });
    }
  }
});

test('a refusal records no address, whatever it speaks of', () => {
  const nothing = { ips: [], pools: [] };
  assert.equal(describeAllocation({ ips: [], pools: ['default'] }), '');
  assert.equal(joinNotes('', ['pool is empty']), 'pool is empty');
  for (const message of ['', 'address 192.0.2.7 is in use by shop/web', 'x from pool default']) {
    assert.deepEqual(readAllocation([condition(message)]), nothing);
  }
});

test('without the condition nothing is known', () => {
  assert.equal(readAllocation([condition('192.0.2.7', 'Announced')]), undefined);
});

test('trust: the group that the status records counts, whatever the annotation says', () => {
  const pools = ['forged'];
  assert.deepEqual(poolsOf({ record: { ips, pools: ['default'] }, pools }), ['default']);
  assert.deepEqual(poolsOf({ record: undefined, pools }), pools, 'as an older version left it');
});
