import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { read } from './cursor.ts';
import { matchesLabels, readLabelSelector } from './label-selector.ts';
import { isProblem, must } from './parsed.ts';

const readSelector = (input: unknown) => read(input, readLabelSelector);
const labels = new Map([
  ['rack', 'a'],
  ['constructor', 'x'],
]);

test('a selector matches as Kubernetes matches', () => {
  const rows: readonly (readonly [selector: unknown, matches: boolean])[] = [
    [undefined, true],
    [{}, true],
    [{ matchLabels: {}, matchExpressions: [] }, true],
    [{ matchLabels: { rack: 'a' } }, true],
    [{ matchLabels: { rack: 'b' } }, false],
    [{ matchLabels: { rack: 'a', zone: 'z' } }, false],
    [{ matchExpressions: [{ key: 'rack', operator: 'In', values: ['b', 'a'] }] }, true],
    [{ matchExpressions: [{ key: 'zone', operator: 'In', values: ['a'] }] }, false],
    [{ matchExpressions: [{ key: 'rack', operator: 'NotIn', values: ['b'] }] }, true],
    [{ matchExpressions: [{ key: 'rack', operator: 'NotIn', values: ['a'] }] }, false],
    [{ matchExpressions: [{ key: 'zone', operator: 'NotIn', values: ['a'] }] }, true],
    [{ matchExpressions: [{ key: 'rack', operator: 'Exists' }] }, true],
    [{ matchExpressions: [{ key: 'toString', operator: 'Exists' }] }, false],
    [{ matchExpressions: [{ key: 'zone', operator: 'DoesNotExist', values: [] }] }, true],
    [{ matchExpressions: [{ key: 'rack', operator: 'DoesNotExist' }] }, false],
  ];
  for (const [selector, matches] of rows) {
    const actual = matchesLabels(must(readSelector(selector)), labels);
    assert.equal(actual, matches, JSON.stringify(selector));
  }
});

test('a selector that cannot be evaluated says why', () => {
  const reading = readSelector({
    matchLabels: { 'a b': 'x', rack: 'a/b' },
    matchExpressions: [
      { key: 'rack', operator: 'in', values: ['a'] },
      { key: 'rack', operator: 'In' },
      { key: 'rack', operator: 'Exists', values: ['a'] },
      { operator: 'Exists' },
      'rack',
    ],
  });
  const value = 'is not a label value: letters, digits, ".", "_" and "-", 63 at most';
  const at = (index: number, field: string) => `matchExpressions[${index}].${field}`;
  assert.deepEqual(isProblem(reading) && reading.problems, [
    {
      path: 'matchLabels[a b]',
      message: '"a b" is not a label key such as example.com/rack',
    },
    { path: 'matchLabels.rack', message: `"a/b" ${value}` },
    {
      path: at(0, 'operator'),
      message: '"in" is not one of In, NotIn, Exists, DoesNotExist: did you mean In?',
    },
    { path: at(1, 'values'), message: 'In needs at least one value' },
    {
      path: at(2, 'values'),
      message: 'Exists has no values: remove them, or use In or NotIn',
    },
    { path: at(3, 'key'), message: 'is missing' },
    { path: 'matchExpressions[4]', message: 'must be an object, not "rack"' },
    { path: at(4, 'operator'), message: 'is missing' },
    { path: at(4, 'key'), message: 'is missing' },
  ]);
});

test('any selector is read or refused', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (one, other) => {
      const reading = readSelector({ matchLabels: one, matchExpressions: [other] });
      if (!isProblem(reading)) assert.equal(typeof matchesLabels(reading.value, labels), 'boolean');
    }),
  );
});
