import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ipOf } from '../model/ip.ts';
import { type Mac, macOf } from '../model/mac.ts';
import { mostStrangers, Sayings } from './sayings.ts';

const ip = ipOf('192.0.2.100');
const member = macOf('02:00:00:00:00:01');
const isMember = (mac: Mac) => mac === member;

function stranger(number: number): Mac {
  const digits = number.toString(16).padStart(4, '0');
  return macOf(`06:00:00:00:${digits.slice(0, 2)}:${digits.slice(2)}`);
}

test('what a MAC says again within half a second is no news', () => {
  const sayings = new Sayings();
  const news = [0, 100, 601].map((at) => sayings.note(ip, member, at, isMember));
  assert.deepEqual(news, [true, false, true]);
});

test('of thousands of MACs a few strangers are remembered, the latest ones, and every member', () => {
  const sayings = new Sayings();
  sayings.note(ip, member, 0, isMember);
  for (let number = 0; number < 10_000; number += 1) {
    sayings.note(ip, stranger(number), number, isMember);
  }
  const macs = [...(sayings.times.get(ip)?.keys() ?? [])];
  assert.ok(macs.includes(member) && macs.includes(stranger(9_999)));
  assert.ok(macs.length <= mostStrangers + 1, `${macs.length}`);
});

test('what was said long ago is forgotten', () => {
  const sayings = new Sayings();
  sayings.note(ip, member, 0, isMember);
  sayings.note(ip, stranger(1), 10, isMember);
  sayings.forgetBefore(0);
  assert.deepEqual([...(sayings.times.get(ip)?.keys() ?? [])], [stranger(1)]);
  sayings.forgetBefore(10);
  assert.equal(sayings.times.size, 0);
});
