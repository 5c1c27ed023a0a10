import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  formerAnnotations,
  leaseAnnotations,
  podAnnotations,
  requestAnnotations,
  resultAnnotations,
  routeAnnotations,
} from './annotations.ts';

const all = [
  requestAnnotations,
  routeAnnotations,
  resultAnnotations,
  formerAnnotations,
  leaseAnnotations,
  podAnnotations,
].flatMap((group) => Object.values(group));

test('each annotation is spelt once, in a domain of ours', () => {
  assert.equal(new Set(all).size, all.length);
  for (const key of all) assert.match(key, /^(bgp\.)?purelb\.io\/[A-Za-z0-9-]{1,63}$/);
});
