import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type Conflict, encodeConflicts, parseConflicts } from './conflict.ts';
import { ipOf } from './ip.ts';
import { macOf } from './mac.ts';

const conflict: Conflict = {
  ip: ipOf('192.0.2.7'),
  mac: macOf('02:00:5e:10:00:01'),
  node: 'node1',
  seenAt: 1_641_830_265_000,
};
const text = '192.0.2.7,02:00:5e:10:00:01,node1,2022-01-10T15:57:45Z';

test('reports are written and read back', () => {
  const second = { ...conflict, ip: ipOf('2001:db8::7') };
  assert.equal(encodeConflicts([conflict]), text);
  assert.deepEqual(parseConflicts(encodeConflicts([conflict, second])), [conflict, second]);
  assert.equal(encodeConflicts([]), '');
});

test('what is no report is passed over', () => {
  for (const wrong of ['', 'x', '192.0.2.7', `${text},more`, text.replace('node1', ''), ',,,']) {
    assert.deepEqual(parseConflicts(`${wrong} ${text}`), [conflict], wrong);
  }
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (any) => {
      assert.ok(Array.isArray(parseConflicts(any)));
    }),
  );
});
