import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { routeAnnotations as names } from './annotations.ts';
import { read } from './cursor.ts';
import { must } from './parsed.ts';
import { readRouteWish } from './route-wish.ts';

const wishOf = (annotations: object) => must(read(annotations, readRouteWish));

test('a Service without annotations of ours asks for nothing', () => {
  assert.equal(wishOf({ 'example.com/med': '5' }), undefined);
});

test('communities of both kinds, by name or number, and numbers are read', () => {
  const wish = wishOf({
    [names.communities]: '64500:2, no-export,64500:1:2,64500:1',
    [names.asPathPrepend]: '2',
    [names.med]: '0',
    [names.localPref]: '200',
  });
  assert.deepEqual(wish, {
    communities: ['64500:1', '64500:2', '65535:65281'],
    largeCommunities: ['64500:1:2'],
    prepends: 2,
    med: 0,
    localPreference: 200,
    problems: [],
  });
});

test('what cannot be read is told, and the rest counts', () => {
  const wish = wishOf({
    [names.communities]: '64500:x',
    [names.med]: '-1',
    [names.localPref]: '7',
  });
  assert.deepEqual(
    [wish?.communities, wish?.med, wish?.localPreference, wish?.problems.map(({ path }) => path)],
    [[], undefined, 7, [`[${names.communities}]`, `[${names.med}]`]],
  );
});

test('any text is read or told', () => {
  fc.assert(
    fc.property(fc.string(), fc.constantFrom(...Object.values(names)), (text, name) => {
      assert.ok(wishOf({ [name]: text }) !== undefined);
    }),
  );
});
