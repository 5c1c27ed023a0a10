import assert from 'node:assert/strict';
import { test } from 'node:test';
import { attributesKey, familyOfPath, pathKey, plainRoute, sortedCommunities } from './bgp-path.ts';
import { ipOf } from './ip.ts';
import { prefixOf } from './prefix.ts';

const path = {
  ...plainRoute,
  prefix: prefixOf('198.51.100.0/24'),
  nextHop: ipOf('0.0.0.0'),
  communities: ['64500:1'],
};

test('paths are the same when prefix, next hop and all attributes are', () => {
  assert.equal(pathKey(path), pathKey({ ...path }));
  const others = [
    { ...path, prefix: prefixOf('198.51.100.0/25') },
    { ...path, nextHop: ipOf('192.0.2.1') },
    { ...path, communities: [] },
    { ...path, largeCommunities: ['64500:1:2'] },
    { ...path, asPath: [64_500] },
    { ...path, asPath: [64_500, 64_500] },
    { ...path, med: 0 },
    { ...path, localPreference: 0 },
  ];
  const keys = [path, ...others].map(pathKey);
  assert.equal(new Set(keys).size, keys.length);
  assert.equal(attributesKey(plainRoute), '');
});

test('communities are in one order and there once', () => {
  assert.deepEqual(sortedCommunities(['64500:2', '64500:1', '64500:2']), ['64500:1', '64500:2']);
});

test('a path has the family of its prefix, whatever its next hop', () => {
  const mixed = { ...path, nextHop: ipOf('2001:db8::1') };
  assert.equal(familyOfPath(mixed), 'ipv4');
});
