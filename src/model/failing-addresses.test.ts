import assert from 'node:assert/strict';
import { test } from 'node:test';
import { encodeFailing, parseFailing } from './failing-addresses.ts';
import { ipOf } from './ip.ts';

const [v4, v4b, v6] = [ipOf('192.0.2.9'), ipOf('192.0.2.10'), ipOf('2001:db8::1')];

test('the same addresses are the same text, in whatever order they failed', () => {
  assert.equal(encodeFailing([v6, v4b, v4, v6]), '192.0.2.9,192.0.2.10,2001:db8::1');
  assert.equal(encodeFailing([]), '');
});

test('what was written is read again, and what is no address is passed over', () => {
  assert.deepEqual(parseFailing(encodeFailing([v6, v4, v4b])), [v4, v4b, v6]);
  assert.deepEqual(parseFailing(''), []);
  assert.deepEqual(parseFailing(' 192.0.2.9 , everything,192.0.2.300,2001:DB8:0::1'), [v4, v6]);
});

test('a list without end is cut', () => {
  assert.equal(parseFailing('192.0.2.9,'.repeat(5000)).length, 1000);
});
