import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseLifetimes } from '../../model/kernel-lifetimes.ts';
import { familySamples, member } from '../announcement/cluster.fixture.ts';
import type { Liveness } from '../announcement/judge-members.ts';
import { findEnding, findLastWords, isPromiseOver } from './end-of-lifetime.ts';

for (const { family, vip, vip2 } of familySamples) {
  /** `b 300` said so at 0. */
  const ending = (text: string, now: number, ip = vip) => {
    const words = text.split(' / ').map((each) => {
      const [node = '', lifetimes = ''] = each.split(' ');
      return [node, { seenAt: 0, lifetimes: parseLifetimes(lifetimes) }] as const;
    });
    const found = findEnding(ip, new Map(words), now);
    return [[...found.ending].join(), found.wakeAt];
  };

  const cases: readonly [string, readonly unknown[], readonly unknown[]][] = [
    ['nobody is ending long before', ending('b 300', 10_000), ['', 299_600]],
    ['a moment before its end it is ending', ending('b 300', 299_600), ['b', Infinity]],
    ['who answers long after its end lives on', ending('b 300', 302_000), ['', Infinity]],
    ['what stays for ever never ends', ending('b forever', 1e9), ['', Infinity]],
    ['of who said nothing nothing is known', ending('b', 1e9), ['', Infinity]],
    ['addresses have ends of their own', ending(`b 300;100=${vip}`, 99_700), ['b', Infinity]],
    ['and others another', ending(`b 300;100=${vip}`, 99_700, vip2), ['', 299_600]],
    ['the next one counts', ending('b 300 / c 200', 150_000), ['', 199_600]],
  ];
  for (const [name, found, expected] of cases) {
    test(`${family}: ${name}`, () => assert.deepEqual(found, expected));
  }
}

test('last words are those of members whose Lease ended, since they were seen', () => {
  const lifetimes = parseLifetimes('300');
  const members = ['a', 'b', 'c'].map((node) => member(node, { lifetimes }));
  const liveness = new Map<string, Liveness>([
    ['a', 'alive'],
    ['b', 'expired'],
    ['c', 'expired'],
  ]);
  const seen = { sign: '', changedAt: 7, liveness: 'expired' } as const;
  const byNode = new Map([['b', seen]]);
  assert.deepEqual(
    findLastWords(members, liveness, { byNode }),
    new Map([['b', { seenAt: 7, lifetimes }]]),
  );
});

test('a promise is over a moment before its end, when the next one takes over', () => {
  const promise = { renewedAt: 5_000, shortestSeconds: 100 };
  assert.deepEqual(
    [104_599, 104_600].map((now) => isPromiseOver(promise, now)),
    [false, true],
  );
});
