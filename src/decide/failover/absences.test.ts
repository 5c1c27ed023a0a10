import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Absence, findTakenFrom, noteAbsence } from './absences.ts';

const absence: Absence = { node: 'b', link: 'eth0', from: 1_000, to: 5_000 };

test('what was taken while a member was silent may still be with it', () => {
  const found = (link: string, verifiedAt: number) => findTakenFrom([absence], link, verifiedAt);
  assert.deepEqual(found('eth0', 1_100), [absence]);
  assert.deepEqual(found('eth0', 4_999), [absence]);
});

test('it cannot have what was here before it fell silent, was asked for since, or is elsewhere', () => {
  const found = (link: string, verifiedAt: number) => findTakenFrom([absence], link, verifiedAt);
  assert.deepEqual(found('eth0', 900), []);
  assert.deepEqual(found('eth0', 5_001), []);
  assert.deepEqual(found('eth0', -Infinity), []);
  assert.deepEqual(found('eth1', 1_100), []);
});

test('of each member on each link the last absence is kept, for a while', () => {
  const elsewhere = { ...absence, link: 'eth1' };
  const other = { ...absence, node: 'c', to: 6_000 };
  const again = { ...absence, from: 7_000, to: 8_000 };
  const noted = [absence, elsewhere, other, again].reduce(noteAbsence, []);
  assert.deepEqual(noted, [elsewhere, other, again]);
  const later = { ...other, from: 15_000, to: 15_500 };
  assert.deepEqual(noteAbsence(noted, later), [again, later]);
});
