import assert from 'node:assert/strict';
import { test } from 'node:test';
import { encodeHanding, parseHanding } from './handing.ts';
import { ipOf } from './ip.ts';

const move = (ip: string, node: string) => ({ ip: ipOf(ip), node });

test('one text for many addresses, in order of nodes and addresses', () => {
  const moves = [
    move('192.0.2.8', 'node3'),
    move('2001:db8::7', 'node2'),
    move('192.0.2.7', 'node2'),
  ];
  const text = 'node2=192.0.2.7,2001:db8::7;node3=192.0.2.8';
  assert.equal(encodeHanding(moves), text);
  assert.deepEqual(parseHanding(text), [
    move('192.0.2.7', 'node2'),
    move('2001:db8::7', 'node2'),
    move('192.0.2.8', 'node3'),
  ]);
});

test('nothing is an empty text', () => {
  assert.equal(encodeHanding([]), '');
  assert.deepEqual(parseHanding(''), []);
});

test('what cannot be read is passed over', () => {
  const text = '=192.0.2.1;node2;node3=x,192.0.2.9, 192.0.2.10 ;;node4=';
  assert.deepEqual(parseHanding(text), [move('192.0.2.9', 'node3'), move('192.0.2.10', 'node3')]);
});

test('a thousand addresses at most', () => {
  const ips = Array.from(
    { length: 1_200 },
    (_, index) => `192.0.${2 + (index >> 8)}.${index & 255}`,
  );
  const text = `node2=${ips.join(',')};node3=192.0.2.1`;
  assert.equal(parseHanding(text).length, 1000);
  assert.equal(parseHanding(encodeHanding(ips.map((ip) => move(ip, 'node2')))).length, 1000);
});
