import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { findViolations, rooms } from './house-rules.ts';

const root = new URL('..', import.meta.url).pathname;

test('every file keeps the rules of the house', () => {
  assert.deepEqual(findViolations(root), []);
});

test('the rooms on disk are the rooms of the table, each with a sentence about itself', () => {
  const found = readdirSync(`${root}src`).sort();
  assert.deepEqual(found, Object.keys(rooms).sort());
  for (const room of found) {
    assert.match(readFileSync(`${root}src/${room}/README.md`, 'utf8'), /^# src\/\w+\n\n[A-Z].+\n/);
  }
});

test('each broken rule is found and named', () => {
  assert.deepEqual(findViolations(`${root}test/fixtures/house-with-violations`), [
    'src/cellar/wine.ts: there is no room called "cellar"',
    'src/decide/upward.ts: decide may not import kube',
    'src/decide/upward.ts: decide may not import wire',
    'src/kube/client.ts: product code imports fake-kernel.ts, which is for tests',
    'src/kube/client.ts: product code imports lab/',
    'src/kube/client.ts: kube may not touch koffi',
    'src/kube/client.ts: setTimeout: timers belong to runtime/clock',
    'src/linux/second-libc.ts: only src/linux/libc.ts may import koffi',
    'src/model/clock-reader.ts: model may not touch node:fs',
    'src/model/clock-reader.ts: Date.now: the mind has no clock: take `now` as an argument',
    'src/model/clock-reader.ts: Math.random: the mind leaves nothing to chance',
    'src/model/clock-reader.ts: Buffer: the mind knows no machine',
    'src/model/untested.ts: a mind file needs a test beside it',
    'src/runtime/long-file.ts: 301 lines; split it below 300',
  ]);
});
