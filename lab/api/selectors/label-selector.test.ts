import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ApiError } from '../api-error.ts';
import { parseLabelSelector } from './label-selector.ts';

const labels = { app: 'web', tier: '3', empty: '' };

test('what selects and what does not', () => {
  const table: Readonly<Record<string, boolean>> = {
    '': true,
    'app=web': true,
    'app == web': true,
    'app!=web': false,
    'other!=web': true,
    'app in (web, api)': true,
    'app notin (web)': false,
    'other notin (web)': true,
    'other in (web)': false,
    app: true,
    '!app': false,
    '!other': true,
    'empty=': true,
    'app=': false,
    'tier>2': true,
    'tier<3': false,
    'app=web,tier=3': true,
    'app=web,tier=4': false,
    'example.com/app!=web': true,
  };
  for (const [text, expected] of Object.entries(table)) {
    assert.equal(parseLabelSelector(text)(labels), expected, text);
  }
  assert.equal(parseLabelSelector('!app')(undefined), true);
});

test('what cannot be read is refused', () => {
  for (const text of ['a b', 'a in b', 'a in (b', ',', '=b', 'a>x', 'a=b c']) {
    assert.throws(() => parseLabelSelector(text), ApiError, text);
  }
});

test('`in` is the same as one of several equalities', () => {
  const word = fc.stringMatching(/^[a-z][a-z0-9]{0,4}$/);
  fc.assert(
    fc.property(fc.array(word, { minLength: 1, maxLength: 4 }), word, (values, value) => {
      const own = { key: value };
      const listed = parseLabelSelector(`key in (${values.join(',')})`)(own);
      const single = values.some((other) => parseLabelSelector(`key=${other}`)(own));
      assert.equal(listed, single);
      assert.equal(parseLabelSelector(`key notin (${values.join(',')})`)(own), !single);
    }),
  );
});
