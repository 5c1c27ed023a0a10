import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ipOf } from '../../model/ip.ts';
import { macOf } from '../../model/mac.ts';
import type { Watch } from './assign-watches.ts';
import { placeOf, seenAddresses } from './seen-addresses.ts';
import { startWatching } from './watch-state.ts';

const [own, first, second] = ['192.0.2.2', '192.0.2.100', '2001:db8::100'].map(ipOf);
assert.ok(own !== undefined && first !== undefined && second !== undefined);

const watch: Watch = {
  holder: 'b',
  link: 'eth0',
  macs: [macOf('02:00:00:00:00:02')],
  nodeIps: [own],
  ips: [first, second],
  beacons: [],
  isFirst: true,
};
const { isFirst: _, ...byOthersFirst } = watch;
const state = { ...startWatching(), known: new Map([[first, 'echo'] as const]) };

test('an address answers once it has, and not for ever', () => {
  const all = (more: Partial<typeof state> = {}) => [
    ...seenAddresses([{ watch, state: { ...state, ...more } }]),
  ];
  assert.deepEqual(all(), [
    [placeOf(first, 'b'), 'answers'],
    [placeOf(second, 'b'), 'unknown'],
  ]);
  assert.deepEqual(all({ orphans: new Set([first]) }), [
    [placeOf(first, 'b'), 'silent'],
    [placeOf(second, 'b'), 'unknown'],
  ]);
  assert.deepEqual(all({ phase: { kind: 'silent', since: 7 } }), [
    [placeOf(first, 'b'), 'silent'],
    [placeOf(second, 'b'), 'silent'],
  ]);
});

test('nothing is said of holders that another node watches first, or that never answer', () => {
  assert.deepEqual([...seenAddresses([{ watch: byOthersFirst, state }])], []);
  const mute = { ...startWatching(), turn: 20 };
  assert.deepEqual([...seenAddresses([{ watch, state: mute }])], []);
});
