import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PoolRange } from '../../model/pool.ts';
import { prefixOf } from '../../model/prefix.ts';
import { rangeOf } from '../../model/range.ts';
import { familySamples } from './cluster.fixture.ts';
import { pickControls } from './control-addresses.ts';
import { service } from './pool.fixture.ts';

for (const { family, subnet, vips } of familySamples) {
  const at = (text: string): PoolRange => ({
    family,
    range: rangeOf(text),
    subnet: prefixOf(subnet),
    prefixLength: 0,
    exclusions: [],
    text,
  });
  const range = at(`${vips[0]}-${vips[9]}`);

  test(`${family}: the last two addresses that nobody has are taken`, () => {
    assert.deepEqual(pickControls(range, []), [vips[9], vips[8]]);
    const taken = [service('a', [vips[9] ?? '']), service('b', [vips[7] ?? ''])];
    assert.deepEqual(pickControls(range, taken), [vips[8], vips[6]]);
  });

  test(`${family}: a range with fewer than two free addresses gives none`, () => {
    const taken = vips.slice(0, 9).map((ip) => service(`s${ip}`, [ip]));
    assert.deepEqual(pickControls(range, taken), []);
  });

  test(`${family}: the edges of the subnet are not taken`, () => {
    const { first, last } = rangeOf(subnet);
    const picked = pickControls({ ...range, range: { family, first, last } }, []);
    assert.equal(picked.length, 2);
    const edge = { family, first: first, last: first + 1n };
    assert.deepEqual(pickControls({ ...range, range: edge }, []), []);
  });
}

test('an address that is of no range of ours has no controls', () => {
  assert.deepEqual(pickControls(undefined, []), []);
});

test('IPv4 broadcast is not asked for', () => {
  const range: PoolRange = {
    family: 'ipv4',
    range: rangeOf('192.0.2.0/24'),
    subnet: prefixOf('192.0.2.0/24'),
    prefixLength: 24,
    exclusions: [],
    text: '',
  };
  assert.deepEqual(pickControls(range, []), ['192.0.2.254', '192.0.2.253']);
});
