import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isProblem, must, type Parsed, problem, problemsOf } from './parsed.ts';

test('a problem carries where it was found and what to do', () => {
  const parsed: Parsed<number> = problem('spec.pools[1].subnet', 'write a number');
  assert.deepEqual(parsed, {
    problems: [{ path: 'spec.pools[1].subnet', message: 'write a number' }],
  });
  assert.equal(isProblem(parsed), true);
});

test('a value is no problem, whatever it is', () => {
  for (const value of [0, '', undefined, null, { problems: [] }]) {
    assert.equal(isProblem({ value }), false);
    assert.equal(must({ value }), value);
  }
});

test('what must be right and is not throws all its problems with their places', () => {
  const parsed: Parsed<number> = {
    problems: [
      { path: 'spec.a', message: 'is missing' },
      { path: '', message: 'the whole is odd' },
    ],
  };
  assert.throws(() => must(parsed), new TypeError('spec.a: is missing; the whole is odd'));
});

test('the problems of several parts are collected in order', () => {
  const parts = [problem('a', 'one'), { value: 1 }, problem('b', 'two')];
  assert.deepEqual(problemsOf(...parts), [
    { path: 'a', message: 'one' },
    { path: 'b', message: 'two' },
  ]);
});
