import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ipOf } from '../../model/ip.ts';
import { macOf } from '../../model/mac.ts';
import type { Watch } from './assign-watches.ts';
import {
  forgetOthers,
  isStranger,
  startSuspecting,
  startWatching,
  suspectAddress,
} from './watch-state.ts';

const [own, one, two] = [ipOf('192.0.2.2'), ipOf('192.0.2.100'), ipOf('192.0.2.101')];
const watch: Watch = {
  holder: 'node2',
  link: 'eth0',
  macs: [macOf('02:00:00:00:00:02')],
  nodeIps: [own],
  ips: [one, two],
  beacons: [],
};

test('one that is watched is a stranger until it has answered; one that is suspected is none', () => {
  assert.ok(isStranger(startWatching()));
  assert.ok(!isStranger({ ...startWatching(), known: new Map([[own, 'echo']]) }));
  assert.ok(!isStranger(startSuspecting(watch)));
});

test('a closer look begins at the address that someone missed', () => {
  const state = suspectAddress(startSuspecting(watch), two);
  assert.deepEqual([state.focus, state.phase], [two, { kind: 'hinted' }]);
});

test('what it holds no more is forgotten, and what it holds is not', () => {
  const known = new Map([own, one, two].map((ip) => [ip, 'echo'] as const));
  const state = { ...startWatching(), known, focus: two, misses: 3, orphans: new Set([two]) };
  assert.deepEqual(forgetOthers(state, watch), state);
  const less = forgetOthers(state, { ...watch, ips: [one] });
  assert.deepEqual(
    [[...less.known.keys()], less.focus, less.misses, [...less.orphans]],
    [[own, one], undefined, 0, []],
  );
});
