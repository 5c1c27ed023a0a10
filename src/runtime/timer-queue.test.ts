import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { TimerQueue } from './timer-queue.ts';

test('an empty queue has nothing due', () => {
  const queue = new TimerQueue();
  assert.deepEqual([queue.nextDue(), queue.take(), queue.size], [undefined, undefined, 0]);
});

test('cancelling twice, or after the callback was taken, changes nothing', () => {
  const queue = new TimerQueue();
  const cancelFirst = queue.add(1, () => {});
  const cancelSecond = queue.add(2, () => {});
  queue.take();
  cancelFirst();
  assert.equal(queue.size, 1);
  cancelSecond();
  cancelSecond();
  assert.deepEqual([queue.size, queue.nextDue()], [0, undefined]);
});

type Step = { readonly add: number } | { readonly cancel: number } | 'take';

const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: fc.record({ add: fc.nat(50) }) },
    { weight: 3, arbitrary: fc.record({ cancel: fc.nat(1000) }) },
    { weight: 1, arbitrary: fc.constant('take' as const) },
  ),
  { maxLength: 400, size: 'max' },
);

/** The same as a plain list that is sorted every time. */
class SlowQueue {
  #entries: { due: number; id: number }[] = [];

  add(due: number, id: number): void {
    this.#entries.push({ due, id });
    this.#entries.sort((left, right) => left.due - right.due || left.id - right.id);
  }

  cancel(id: number): void {
    this.#entries = this.#entries.filter((entry) => entry.id !== id);
  }

  take(): number | undefined {
    return this.#entries.shift()?.id;
  }

  get facts() {
    return { size: this.#entries.length, nextDue: this.#entries[0]?.due };
  }
}

class Pair {
  readonly #queue = new TimerQueue();
  readonly #slow = new SlowQueue();
  readonly #cancels: (() => void)[] = [];
  #taken: number | undefined;

  apply(step: Step): void {
    if (step === 'take') this.#take();
    else if ('add' in step) this.#add(step.add);
    else this.#cancel(step.cancel % Math.max(1, this.#cancels.length));
    const facts = { size: this.#queue.size, nextDue: this.#queue.nextDue() };
    assert.deepEqual(facts, this.#slow.facts);
  }

  #take(): void {
    this.#taken = undefined;
    this.#queue.take()?.();
    assert.equal(this.#taken, this.#slow.take());
  }

  #add(due: number): void {
    const id = this.#cancels.length;
    const callback = () => {
      this.#taken = id;
    };
    this.#slow.add(due, id);
    this.#cancels.push(this.#queue.add(due, callback));
  }

  #cancel(id: number): void {
    this.#slow.cancel(id);
    this.#cancels[id]?.();
  }
}

test('behaves like a sorted list whatever is added, cancelled and taken', () => {
  fc.assert(
    fc.property(steps, (script) => {
      const pair = new Pair();
      for (const step of script) pair.apply(step);
    }),
    { numRuns: 200 },
  );
});

test('a timer that is always set anew does not fill the memory', () => {
  const queue = new TimerQueue();
  let cancel = () => {};
  for (let due = 0; due < 200_000; due++) {
    cancel();
    cancel = queue.add(1_000_000 + due, () => {});
  }
  assert.ok(queue.slots < 100, `${queue.slots} slots`);
  assert.deepEqual([queue.size, queue.nextDue()], [1, 1_199_999]);
});
