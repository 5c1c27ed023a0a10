import assert from 'node:assert/strict';
import { test } from 'node:test';
import { read } from './cursor.ts';
import { isProblem, must } from './parsed.ts';
import { readAllowedAttributes } from './read-bgp-allowed.ts';

test('nothing is allowed unless it is said', () => {
  assert.deepEqual(must(read(undefined, readAllowedAttributes)), {
    communities: [],
    mostPrepends: 0,
    med: undefined,
    localPreference: undefined,
  });
});

test('communities are listed, alone or all that begin alike; numbers have bounds', () => {
  const written = {
    communities: ['64500:1', '64501:*', '64500:1:*', 'no-export'],
    maxAsPathPrepend: 3,
    med: { max: 100 },
    localPref: { min: 50, max: 200 },
  };
  assert.deepEqual(must(read(written, readAllowedAttributes)), {
    communities: written.communities,
    mostPrepends: 3,
    med: { min: 0, max: 100 },
    localPreference: { min: 50, max: 200 },
  });
});

test('what cannot be allowed is refused', () => {
  const wrong = [
    { communities: ['*'] },
    { communities: ['*:1'] },
    { communities: ['64500'] },
    { maxAsPathPrepend: 17 },
    { med: {} },
    { med: { min: 2, max: 1 } },
    { localPref: { max: -1 } },
  ];
  for (const block of wrong) {
    assert.ok(isProblem(read(block, readAllowedAttributes)), JSON.stringify(block));
  }
});
