import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { WantedAddress } from '../../model/address.ts';
import { parseLifetimes } from '../../model/kernel-lifetimes.ts';
import { prefixOf } from '../../model/prefix.ts';
import { familySamples } from './cluster.fixture.ts';
import { isExtensionDue, type LifetimePromise } from './lifetime-promise.ts';
import { link, ours } from './node.fixture.ts';
import { planAddresses } from './plan-addresses.ts';

const eth0 = link('eth0');
const kubeLb0 = link('kube-lb0', { index: 9 });
const now = 1_000_000;

/** `purelb.io/lifetimes` as it was written 2 s ago. */
function told(lifetimes: string, isFailing = false): LifetimePromise {
  return { writtenAt: now - 2_000, lifetimes: parseLifetimes(lifetimes), isFailing };
}

for (const { family, vip, vip2, length } of familySamples) {
  const want = (prefix: string, on = 'eth0'): WantedAddress => {
    const { ip, length: prefixLength } = prefixOf(prefix);
    const preferredSeconds = family === 'ipv6' ? 0 : 300;
    const flags = { noPrefixRoute: true, noDad: true };
    return { link: on, ip, prefixLength, validSeconds: 300, preferredSeconds, ...flags };
  };
  const hold = (prefix: string, validSeconds: number, on = eth0) =>
    ours(on, prefix, { validSeconds, preferredSeconds: family === 'ipv6' ? 0 : validSeconds });
  const one = `${vip}/${length}`;
  const two = `${vip2}/${length}`;

  /** `['refresh 298']`, what the Lease is to promise, and in how many seconds there is something to do. */
  const plan = (held: readonly number[], promise: LifetimePromise, on = eth0) => {
    const prefixes = [one, two].slice(0, held.length);
    const { changes, offers, wakeAt } = planAddresses({
      wanted: prefixes.map((prefix) => want(prefix, on.name)),
      held: prefixes.map((prefix, index) => hold(prefix, held[index] ?? 0, on)),
      left: new Set(),
      promise,
      virtualLink: kubeLb0.name,
      now,
    });
    const done = changes.map(({ change }) => {
      return change.kind === 'remove' ? 'remove' : `${change.kind} ${change.address.validSeconds}`;
    });
    return [done, [...offers.values()], (wakeAt - now) / 1000];
  };

  test(`${family}: a lifetime is promised in the Lease before it is extended`, () => {
    assert.deepEqual(plan([151], told('153')), [[], [], 1]);
    assert.deepEqual(plan([150], told('152')), [[], [300], 15]);
    assert.deepEqual(plan([150], told('300')), [['refresh 298'], [], 0]);
  });

  test(`${family}: the kernel never drops an address before the promise ends, nor a second after it`, () => {
    for (const [seconds, kept] of [
      ['299.9', 298],
      ['299.1', 298],
      ['298.9', 297],
    ] as const) {
      assert.deepEqual(plan([150], told(seconds))[0], [`refresh ${kept}`]);
    }
  });

  test(`${family}: all addresses are promised and extended together`, () => {
    assert.deepEqual(plan([150, 290], told('152')), [[], [300, 300], 15]);
    assert.deepEqual(plan([150, 290], told('300')), [['refresh 298', 'refresh 298'], [], 0]);
  });

  test(`${family}: without a promise the last seconds are extended in steps of 30 s`, () => {
    for (const promise of [told('17', true), told('', true), told('')]) {
      assert.deepEqual(plan([16], promise)[0], []);
      assert.deepEqual(plan([15], promise)[0], ['refresh 30']);
    }
  });

  test(`${family}: the Lease goes on offering the whole lifetime meanwhile`, () => {
    assert.deepEqual(plan([15], told('17', true))[1], [300]);
    assert.deepEqual(plan([30], told('17', true))[1], [300]);
  });

  test(`${family}: what the Lease could not tell is cut, down to 30 s, and never below what it told`, () => {
    assert.deepEqual(plan([299], told('100', true))[0], ['refresh 98']);
    assert.deepEqual(plan([299], told('', true))[0], ['refresh 30']);
    assert.deepEqual(plan([100], told('100', true))[0], []);
    assert.deepEqual(plan([299], told('100'))[0], [], 'the next renewal tells it');
  });

  test(`${family}: an address that is added while the Lease cannot be written gets 30 s`, () => {
    const add = (promise: LifetimePromise) => {
      const nothing = { held: [], left: new Set<never>(), virtualLink: kubeLb0.name, now };
      const { changes } = planAddresses({ wanted: [want(one)], ...nothing, promise });
      return changes.map(({ change }) => change.kind === 'add' && change.address.validSeconds);
    };
    assert.deepEqual(add(told('', true)), [30]);
    assert.deepEqual(add(told('100', true)), [98], 'as the others read of every other address');
    assert.deepEqual(add(told('')), [300]);
  });

  test(`${family}: a step changes nothing but lifetimes, and is no drift afterwards`, () => {
    for (const seconds of [30, 29, 16]) {
      assert.deepEqual(plan([seconds], told('', true))[0], []);
    }
  });

  test(`${family}: on the virtual link lifetimes depend on no Lease`, () => {
    assert.deepEqual(plan([150], told('', true), kubeLb0), [['refresh 300'], [], 0]);
    assert.deepEqual(plan([299], told('', true), kubeLb0)[0], []);
  });

  test(`${family}: the wire is asked when something will be extended, and not before`, () => {
    const isDue = (seconds: number, promise: LifetimePromise | undefined) =>
      isExtensionDue({ held: [hold(one, seconds)], validSeconds: 300, promise, now });
    assert.deepEqual([isDue(151, undefined), isDue(150, undefined)], [false, true]);
    assert.deepEqual([isDue(150, told('300')), isDue(150, told('152'))], [true, false]);
    assert.deepEqual([isDue(16, told('18', true)), isDue(15, told('17', true))], [false, true]);
    assert.equal(
      isExtensionDue({ held: [], validSeconds: Infinity, promise: told(''), now }),
      false,
    );
  });
}
