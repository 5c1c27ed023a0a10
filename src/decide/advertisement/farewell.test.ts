import assert from 'node:assert/strict';
import { test } from 'node:test';
import { attributesKey, plainRoute } from '../../model/bgp-path.ts';
import { ipOf } from '../../model/ip.ts';
import { prefixOf } from '../../model/prefix.ts';
import { bidFarewell } from './farewell.ts';

const path = {
  ...plainRoute,
  prefix: prefixOf('203.0.113.7/32'),
  nextHop: ipOf('0.0.0.0'),
  communities: ['64500:1'],
  med: 5,
};

test('routes that leave are marked beside what they carry, and then gone', () => {
  const words = (['none', 'marked', 'withdrawn'] as const).map((farewell) =>
    bidFarewell([path], farewell).map(attributesKey),
  );
  assert.deepEqual(words, [['64500:1 med=5'], ['64500:1 65535:0 med=5'], []]);
});

test('one that is marked twice carries the mark once', () => {
  const marked = bidFarewell([path], 'marked');
  assert.deepEqual(bidFarewell(marked, 'marked'), marked);
});
