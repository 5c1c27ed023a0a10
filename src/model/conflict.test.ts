import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type Conflict, encodeConflicts, latestByIp, parseConflicts } from './conflict.ts';
import { ipOf } from './ip.ts';
import { macOf } from './mac.ts';

const conflict: Conflict = {
  ip: ipOf('192.0.2.7'),
  mac: macOf('02:00:5e:10:00:01'),
  node: 'node1',
  seenAt: 1_641_830_265_000,
};
const text = '192.0.2.7,02:00:5e:10:00:01,2022-01-10T15:57:45Z';

test('reports are written and read back', () => {
  const second = { ...conflict, ip: ipOf('2001:db8::7') };
  assert.equal(encodeConflicts([conflict]), text);
  assert.deepEqual(parseConflicts(encodeConflicts([second, conflict]), 'node1'), [
    conflict,
    second,
  ]);
  assert.equal(encodeConflicts([]), '');
});

test('what is no report is passed over', () => {
  for (const wrong of ['', 'x', '192.0.2.7', `${text},more`, text.replace(',', ',node1,'), ',,,']) {
    assert.deepEqual(parseConflicts(`${wrong} ${text}`, 'node1'), [conflict], wrong);
  }
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (any) => {
      assert.ok(Array.isArray(parseConflicts(any, 'node1')));
    }),
  );
});

test('reports without end are cut, the latest are written, and the same ones are the same text', () => {
  const many = Array.from({ length: 200 }, (_, index) => ({
    ...conflict,
    ip: ipOf(`192.0.2.${index}`),
    seenAt: conflict.seenAt + index * 1000,
  }));
  const written = parseConflicts(encodeConflicts(many), 'node1');
  assert.deepEqual([written.length, written[0]?.ip], [100, '192.0.2.100']);
  assert.equal(encodeConflicts(many.toReversed()), encodeConflicts(many));
  assert.equal(parseConflicts(`${text} `.repeat(5000), 'node1').length, 100);
});

test('of several reports about one address the latest counts', () => {
  const later = { ...conflict, node: 'node2', seenAt: conflict.seenAt + 1000 };
  assert.deepEqual([...latestByIp([later, conflict]).values()], [later]);
});
