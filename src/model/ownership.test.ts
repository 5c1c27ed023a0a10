import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isOurMark, ourAddressPriority, ourAddressProtocol } from './ownership.ts';

const cases = [
  ['our protocol', { protocol: ourAddressProtocol }, true],
  ['both marks', { protocol: ourAddressProtocol, priority: ourAddressPriority }, true],
  ['our protocol with a metric of its own', { protocol: ourAddressProtocol, priority: 5 }, true],
  ['an old kernel, which keeps only the priority', { priority: ourAddressPriority }, true],
  ['an unset protocol and our priority', { protocol: 0, priority: ourAddressPriority }, true],
  [
    'another owner that chose the same priority',
    { protocol: 3, priority: ourAddressPriority },
    false,
  ],
  ['an address set by hand', {}, false],
  ['an address set by hand with a metric', { protocol: 0, priority: 100 }, false],
] as const;

for (const [name, mark, expected] of cases) {
  test(`${name}: ${expected ? 'ours' : 'foreign'}`, () => assert.equal(isOurMark(mark), expected));
}
