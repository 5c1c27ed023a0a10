import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isSignedBy, KeyRing, makeKey, retiredMs } from './key-ring.ts';

const secret = (fill: number) => new Uint8Array(32).fill(fill);
const [one, two] = [makeKey(secret(1)), makeKey(secret(2))];
const bytes = Uint8Array.of(1, 2, 3);

test('a MAC is right with its own key, its own bytes and its whole length', () => {
  const mac = one.sign(bytes);
  assert.equal(mac.length, 16);
  assert.ok(isSignedBy(one, bytes, mac));
  assert.ok(!isSignedBy(two, bytes, mac));
  assert.ok(!isSignedBy(one, Uint8Array.of(1, 2, 4), mac));
  assert.ok(!isSignedBy(one, bytes, mac.subarray(0, 15)));
  assert.ok(!isSignedBy(one, bytes, new Uint8Array(0)));
});

test('the name of a key says nothing of it, and is the same on every node', () => {
  assert.match(one.name, /^[0-9a-f]{8}$/);
  assert.equal(one.id, Number.parseInt(one.name, 16));
  assert.equal(makeKey(secret(1)).name, one.name);
  assert.notEqual(two.name, one.name);
});

test('each receiver is written to with the newest key that it has', () => {
  const ring = new KeyRing();
  assert.equal(ring.choose([one.name]), undefined);
  ring.note({ key: secret(2), previous: secret(1) }, 0);
  assert.deepEqual(ring.names, [two.name, one.name]);
  assert.equal(ring.choose([one.name])?.name, one.name);
  assert.equal(ring.choose([one.name, two.name])?.name, two.name);
  assert.equal(ring.choose(['00000000'])?.name, two.name);
  assert.equal(ring.find(one.id)?.name, one.name);
  assert.equal(ring.find(0), undefined);
});

test('a rotation has no gap: at every moment every agent accepts what every other signs with', () => {
  // Each step reaches each of two agents at a time of its own; each sees the other's Lease as it is, or as it was.
  const steps = [
    { key: secret(1), previous: undefined },
    { key: secret(2), previous: secret(1) },
    { key: secret(2), previous: undefined },
    { key: secret(3), previous: undefined },
  ];
  const states = steps.map((_, index) => {
    const ring = new KeyRing();
    for (const [time, step] of steps.slice(0, index + 1).entries()) ring.note(step, time * 60_000);
    return ring;
  });
  for (const [index, sender] of states.entries()) {
    for (const receiver of states.slice(Math.max(0, index - 1), index + 2)) {
      for (const known of states.slice(Math.max(0, index - 1), index + 1)) {
        const chosen = sender.choose(known.names.filter((name) => receiver.names.includes(name)));
        assert.ok(chosen !== undefined && receiver.find(chosen.id) !== undefined);
      }
    }
  }
});

test('a key that vanished is accepted for three minutes more, and then no longer', () => {
  const ring = new KeyRing();
  ring.note({ key: secret(1), previous: undefined }, 0);
  ring.note({ key: secret(2), previous: undefined }, retiredMs - 1);
  assert.deepEqual(ring.names, [two.name, one.name]);
  ring.note({ key: secret(2), previous: undefined }, retiredMs);
  assert.deepEqual(ring.names, [two.name]);
});

test('files that are gone, or are no keys, take no key away', () => {
  const ring = new KeyRing();
  ring.note({ key: secret(1), previous: secret(1) }, 0);
  assert.deepEqual(ring.names, [one.name]);
  ring.note({ key: undefined, previous: undefined }, 2 * retiredMs);
  ring.note({ key: new Uint8Array(31), previous: undefined }, 2 * retiredMs);
  assert.deepEqual(ring.names, [one.name]);
});
