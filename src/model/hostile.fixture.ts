/** Objects of shapes that no API server would let through: readers must survive them all. */

import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Reading } from './cursor.ts';
import type { KubeObject } from './kube-object.ts';

const deep: unknown = JSON.parse(`${'[{"a":'.repeat(500)}1${'}]'.repeat(500)}`);
const polluting: unknown = JSON.parse(
  '{"__proto__": {"isPolluted": true}, "constructor": {"prototype": 1}, "toString": 1, "length": 1}',
);

const hostileValue: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 3, arbitrary: fc.jsonValue() },
  fc.constantFrom<unknown>(
    null,
    undefined,
    '',
    0,
    -1,
    1.5,
    Number.NaN,
    1e308,
    true,
    [],
    {},
    [null],
    deep,
    polluting,
    'x'.repeat(100_000),
    '\u0000\ud800\n',
    Array(2000).fill({}),
  ),
);

type Path = readonly (string | number)[];

function pathsOf(value: unknown, path: Path = []): readonly Path[] {
  if (typeof value !== 'object' || value === null) return [path];
  const below = Object.entries(value).flatMap(([name, child]) =>
    pathsOf(child, [...path, Array.isArray(value) ? Number(name) : name]),
  );
  return [path, ...below];
}

function replaceAt(value: unknown, path: Path, replacement: unknown): unknown {
  const [step, ...rest] = path;
  if (step === undefined || typeof value !== 'object' || value === null) return replacement;
  const copy: Record<string, unknown> | unknown[] = Array.isArray(value)
    ? [...value]
    : { ...value };
  const at = copy as Record<string | number, unknown>;
  at[step] = replaceAt(at[step], rest, replacement);
  return copy;
}

/** The good object with up to three of its parts replaced by hostile values. */
function mutationsOf(good: unknown): fc.Arbitrary<unknown> {
  const mutation = fc.tuple(fc.constantFrom(...pathsOf(good)), hostileValue);
  return fc
    .array(mutation, { minLength: 1, maxLength: 3 })
    .map((mutations) =>
      mutations.reduce((object: unknown, [path, value]) => replaceAt(object, path, value), good),
    );
}

/** Reads mutations of each good object: a value or problems with words in them, never an exception. */
export function assertSurvives<T>(
  reader: (object: KubeObject) => Reading<T>,
  ...good: readonly unknown[]
): void {
  for (const object of good) {
    fc.assert(
      fc.property(mutationsOf(object), (mutated) => {
        const reading = reader(mutated as KubeObject);
        const notes = 'problems' in reading ? reading.problems : [];
        assert.ok('value' in reading || notes.length > 0);
        for (const { message } of [...notes, ...reading.warnings]) assert.ok(message.length > 3);
      }),
      { numRuns: 400 },
    );
  }
  assert.equal(Object.hasOwn(Object.prototype, 'isPolluted'), false);
}
