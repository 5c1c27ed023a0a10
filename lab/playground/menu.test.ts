import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Action, keyHints, menuStart, pressKey, questionOf } from './menu.ts';

function press(keys: string): readonly Action[] {
  let state = menuStart;
  const actions: Action[] = [];
  for (const key of keys) {
    const step = pressKey(state, key, 5);
    state = step.state;
    if (step.action !== undefined) actions.push(step.action);
  }
  return actions;
}

test('a new Service is asked for by its kind', () => {
  assert.deepEqual(press('nlnr'), [
    { kind: 'new Service', form: 'local' },
    { kind: 'new Service', form: 'remote' },
  ]);
});

test('what is done to a node asks which', () => {
  assert.deepEqual(press('k2c5'), [
    { kind: 'power off', node: 'node2' },
    { kind: 'cut', node: 'node5' },
  ]);
  assert.equal(questionOf({ asked: 'drain' }, 5), 'Drain which node?  1-5  (Esc: none)');
});

test('any other key takes the question back', () => {
  assert.deepEqual(press('k6n\x1bk\x1b'), []);
  assert.deepEqual(press('kq'), []);
});

test('Ctrl-C ends it from everywhere', () => {
  for (const before of ['', 'n', 'k']) {
    assert.deepEqual(press(`${before}\x03`), [{ kind: 'quit' }]);
  }
});

test('every key of the line at the bottom does something', () => {
  for (const { key } of keyHints) {
    const { state, action } = pressKey(menuStart, key, 5);
    assert.ok(action !== undefined || state.asked !== undefined, key);
  }
});
