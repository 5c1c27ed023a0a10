import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ipOf } from '../../model/ip.ts';
import { hasLifetimeDrifted, isPastHalfLife, refreshDueIn } from './address-lifetime.ts';
import { link, ours } from './node.fixture.ts';

/** `match('300/0', '140/0')`: valid and preferred lifetime, wanted and held. */
function match(wanted: string, held: string) {
  const [wantedValid = 0, wantedPreferred = 0] = wanted.split('/').map(Number);
  const [validSeconds = 0, preferredSeconds = 0] = held.split('/').map(Number);
  return {
    wanted: {
      link: 'eth0',
      ip: ipOf('192.0.2.100'),
      prefixLength: 24,
      validSeconds: wantedValid,
      preferredSeconds: wantedPreferred,
      noPrefixRoute: true,
      noDad: true,
    },
    held: ours(link('eth0'), '192.0.2.100/24', { validSeconds, preferredSeconds }),
  };
}

test('spec 8.5: an address is due at half of its lifetime', () => {
  assert.equal(refreshDueIn(match('300/300', '300/300')), 150);
  assert.equal(isPastHalfLife(match('300/300', '151/151')), false);
  assert.equal(isPastHalfLife(match('300/300', '150/150')), true);
  assert.equal(isPastHalfLife(match('300/300', '0/0')), true);
});

test('spec 8.5: a permanent address is never due', () => {
  assert.equal(refreshDueIn(match('Infinity/Infinity', 'Infinity/Infinity')), Infinity);
});

const drifts: readonly (readonly [wanted: string, held: string, hasDrifted: boolean])[] = [
  ['300/300', '300/300', false],
  ['300/300', '200/200', false],
  ['300/100', '250/50', false],
  ['300/100', '150/0', false],
  ['300/0', '250/0', false],
  // The kernel rounds each of them by itself.
  ['300/300', '201/200', false],
  ['300/300', '250/200', true],
  ['300/0', '250/250', true],
  ['300/300', '250/0', true],
  ['300/300', '301/300', true],
  ['300/300', 'Infinity/Infinity', true],
  ['Infinity/Infinity', 'Infinity/Infinity', false],
  ['Infinity/0', 'Infinity/0', false],
  ['Infinity/0', 'Infinity/Infinity', true],
  ['Infinity/Infinity', '300/300', true],
];

for (const [wanted, held, hasDrifted] of drifts) {
  test(`${held} held is ${hasDrifted ? 'not ' : ''}what ${wanted} wanted has become`, () => {
    assert.equal(hasLifetimeDrifted(match(wanted, held)), hasDrifted);
  });
}
