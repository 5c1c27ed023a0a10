import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AddressChange } from '../model/address.ts';
import { ipOf } from '../model/ip.ts';
import type { Step } from './address-steps.ts';
import { errno } from './libc.ts';
import { judgeSteps } from './step-outcome.ts';

const address = {
  link: 'eth0',
  ip: ipOf('192.0.2.1'),
  prefixLength: 32,
  validSeconds: 300,
  preferredSeconds: 300,
  noPrefixRoute: true,
  noDad: true,
};
const add: AddressChange = { kind: 'add', address };
const remove: AddressChange = { kind: 'remove', address };

function step(change: AddressChange, more: Partial<Step> = {}): Step {
  return {
    change,
    request: { type: 20, encodeBody: () => new Uint8Array() },
    tolerated: [],
    ...more,
  };
}

const refusal = (index: number, number: number, words?: string) => ({
  index,
  errno: number,
  isAnswered: true,
  ...(words !== undefined && { words }),
});

test('without failed requests nothing failed', () => {
  assert.deepEqual(judgeSteps([step(add)], []), { failures: [], collisions: [] });
});

test('a refusal carries the kernel’s words, or the errno where it has none', () => {
  const failed = [refusal(0, errno.EINVAL, 'ipv4: Invalid prefix length'), refusal(1, errno.EPERM)];
  assert.deepEqual(judgeSteps([step(add), step(remove)], failed).failures, [
    { change: add, code: 'Refused', errno: 'EINVAL', words: 'ipv4: Invalid prefix length' },
    { change: remove, code: 'Refused', errno: 'EPERM', words: 'EPERM' },
  ]);
});

test('a link that went meanwhile is named as such', () => {
  assert.deepEqual(judgeSteps([step(add)], [refusal(0, errno.ENODEV, 'ipv4: Device not found')]), {
    failures: [{ change: add, code: 'LinkGone', errno: 'ENODEV', words: 'ipv4: Device not found' }],
    collisions: [],
  });
});

test('what a step tolerates is no failure', () => {
  const gone = step(remove, { tolerated: [errno.EADDRNOTAVAIL] });
  assert.deepEqual(judgeSteps([gone], [refusal(0, errno.EADDRNOTAVAIL)]).failures, []);
});

test('an addition that meets an address is to be planned again', () => {
  assert.deepEqual(judgeSteps([step(add)], [refusal(0, errno.EEXIST)]), {
    failures: [],
    collisions: [add],
  });
});

test('silence is never success, not even where the errno would be tolerated', () => {
  const lost = { index: 0, errno: errno.EEXIST, isAnswered: false };
  const kept = step(add, { tolerated: [errno.EEXIST] });
  assert.deepEqual(judgeSteps([kept], [lost]), {
    failures: [
      { change: add, code: 'Unknown', errno: 'EEXIST', words: 'no answer from the kernel' },
    ],
    collisions: [],
  });
});

test('a change of several steps fails once, with its first reason', () => {
  const steps = [step(remove), step(remove, { purpose: 'keep 192.0.2.2/24' }), step(add)];
  const failed = [refusal(1, errno.EINVAL, 'odd'), refusal(0, errno.EPERM), refusal(7, 1)];
  assert.deepEqual(judgeSteps(steps, failed).failures, [
    { change: remove, code: 'Refused', errno: 'EINVAL', words: 'could not keep 192.0.2.2/24: odd' },
  ]);
});

test('a change that failed otherwise is not planned again', () => {
  const failed = [refusal(0, errno.EPERM), refusal(1, errno.EEXIST)];
  const { failures, collisions } = judgeSteps([step(add), step(add)], failed);
  assert.deepEqual([failures.length, collisions], [1, []]);
});
