import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { HeldAddress } from '../../model/address.ts';
import { findDisplaced } from './displaced-primaries.ts';
import { held, link, ours } from './node.fixture.ts';

const eth0 = link('eth0');
const eth1 = link('eth1', { index: 3 });
const behind = { isSecondary: true };

function displaced(...addresses: readonly HeldAddress[]): readonly string[] {
  const kept = addresses
    .filter(({ isOurs }) => isOurs)
    .map((address) => ({ wanted: { ...address, noDad: true }, held: address }));
  return findDisplaced(kept, addresses).map((match) => match.held.ip);
}

test('decision 23: ours before an address of the node in one row are displaced', () => {
  assert.deepEqual(
    displaced(
      ours(eth0, '192.0.2.100/24'),
      ours(eth0, '192.0.2.101/24', behind),
      held(eth0, '192.0.2.1/24', behind),
    ),
    ['192.0.2.100', '192.0.2.101'],
  );
});

test('nothing is displaced where the node’s own address is first, or is not there', () => {
  const own = held(eth0, '192.0.2.1/24');
  assert.deepEqual(displaced(own, ours(eth0, '192.0.2.100/24', behind)), []);
  assert.deepEqual(
    displaced(ours(eth0, '192.0.2.100/24'), ours(eth0, '192.0.2.101/24', behind)),
    [],
  );
});

test('ours behind one address of the node are not displaced by standing before another', () => {
  assert.deepEqual(
    displaced(
      held(eth0, '192.0.2.1/24'),
      ours(eth0, '192.0.2.100/24', behind),
      held(eth0, '192.0.2.2/24', behind),
    ),
    [],
  );
});

test('another link, another prefix and another family are other rows', () => {
  const own = held(eth0, '192.0.2.1/24', behind);
  assert.deepEqual(displaced(ours(eth1, '192.0.2.100/24'), own), []);
  assert.deepEqual(displaced(ours(eth0, '192.0.2.100/25'), own), []);
  assert.deepEqual(displaced(ours(eth0, '192.0.2.100/32'), own), []);
  assert.deepEqual(displaced(ours(eth0, '2001:db8::100/64'), held(eth0, '2001:db8::1/64')), []);
});
