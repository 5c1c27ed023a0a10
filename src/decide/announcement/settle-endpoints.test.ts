import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type EndpointHistory, settleEndpoints } from './settle-endpoints.ts';

/** One Service watched over time: `see(3, 'a b')` is that nodes a and b have endpoints after 3 s. */
class Watcher {
  #history: EndpointHistory | undefined;
  wakeAt = 0;

  see(seconds: number, nodes: string): string {
    const current = new Map([
      ['shop/web', new Set(nodes.split(' ').filter((name) => name !== ''))],
    ]);
    const settled = settleEndpoints(current, this.#history, seconds * 1000);
    this.#history = settled.history;
    this.wakeAt = settled.wakeAt;
    const text = (kind: 'preferred' | 'required') =>
      [...(settled[kind].get('shop/web') ?? [])].sort().join(' ');
    return `prefer ${text('preferred')}, require ${text('required')}`;
  }
}

test('what is seen first counts at once', () => {
  const watcher = new Watcher();
  assert.equal(watcher.see(0, 'a b'), 'prefer a b, require a b');
  assert.equal(watcher.wakeAt, Infinity);
});

test('K4: a node that gets endpoints counts when it has had them for a while', () => {
  const watcher = new Watcher();
  watcher.see(0, 'a');
  assert.equal(watcher.see(1, 'a b'), 'prefer a, require a');
  assert.equal(watcher.wakeAt, 11_000);
  assert.equal(watcher.see(10.9, 'a b'), 'prefer a, require a');
  assert.equal(watcher.see(11, 'a b'), 'prefer a b, require a b');
});

test('K4: a node that loses its endpoints counts on for wishes, not where it must have them', () => {
  const watcher = new Watcher();
  watcher.see(0, 'a b');
  assert.equal(watcher.see(1, 'b'), 'prefer a b, require b');
  assert.equal(watcher.see(11, 'b'), 'prefer b, require b');
});

test('F16: a flap that ends soon has changed nothing', () => {
  const watcher = new Watcher();
  watcher.see(0, 'a b');
  watcher.see(1, 'b');
  assert.equal(watcher.see(4, 'a b'), 'prefer a b, require a b');
  assert.equal(watcher.wakeAt, Infinity);
});

test('if only newcomers are left, they count at once where someone must serve', () => {
  const watcher = new Watcher();
  watcher.see(0, 'a');
  assert.equal(watcher.see(1, 'b'), 'prefer a, require b');
  assert.equal(watcher.see(2, ''), 'prefer a, require ');
});

test('a Service whose first endpoints come late does not wait for them to last', () => {
  const watcher = new Watcher();
  assert.equal(watcher.see(0, ''), 'prefer , require ');
  assert.equal(watcher.see(1, 'a'), 'prefer a, require a');
});

test('a Service that is gone is forgotten', () => {
  const first = settleEndpoints(new Map([['x', new Set(['a'])]]), undefined, 0);
  assert.equal(settleEndpoints(new Map(), first.history, 1).history.size, 0);
});
