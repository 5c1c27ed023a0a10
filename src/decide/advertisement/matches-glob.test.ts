import assert from 'node:assert/strict';
import { test } from 'node:test';
import { matchesGlob } from './matches-glob.ts';

test('names are matched whole, by stars, question marks and classes', () => {
  const cases: readonly [string, string, boolean][] = [
    ['kube-lb0', 'kube-lb0', true],
    ['kube-lb0', 'kube-lb01', false],
    ['eth*', 'eth0.100', true],
    ['eth*', 'veth0', false],
    ['eth?', 'eth1', true],
    ['eth?', 'eth10', false],
    ['eth[0-2]', 'eth2', true],
    ['eth[!0-2]', 'eth2', false],
    ['eth[2-0]', 'eth1', false],
    ['a.b', 'axb', false],
    ['a(b', 'a(b', true],
    ['*', 'anything', true],
  ];
  for (const [glob, name, expected] of cases) {
    assert.equal(matchesGlob(glob, name), expected, `${glob} ${name}`);
  }
});
