import assert from 'node:assert/strict';
import { test } from 'node:test';
import { offerOf } from './advertisement.fixture.ts';
import { chooseBgpConfig, describeProblems } from './choose-bgp-config.ts';

const named = (name: string, minute: number, more: object = {}) =>
  offerOf({}, { name, creationTimestamp: `2026-06-01T12:0${minute}:00Z`, ...more });

test('the oldest configuration is in force, the others wait', () => {
  const [old, young] = [named('b', 0), named('a', 1)];
  const choice = chooseBgpConfig([young, old]);
  assert.equal(choice.chosen, old);
  assert.deepEqual(choice.others, [young]);
  assert.equal(choice.config?.identity.name, 'b');
});

test('of those of one age, namespace and name decide', () => {
  assert.equal(chooseBgpConfig([named('b', 0), named('a', 0)]).chosen?.identity.name, 'a');
});

test('one that is being deleted is none', () => {
  const going = named('a', 0, { deletionTimestamp: '2026-06-01T12:09:00Z' });
  assert.equal(chooseBgpConfig([going, named('b', 1)]).chosen?.identity.name, 'b');
  assert.equal(chooseBgpConfig([going]).chosen, undefined);
});

test('one that cannot be read keeps its place, with every problem', () => {
  const wrong = offerOf({ global: { asn: 0 }, netlinkImport: { enabled: true } });
  const choice = chooseBgpConfig([named('young', 1), wrong]);
  assert.equal(choice.config, undefined);
  assert.deepEqual(
    choice.problems.map(({ path }) => path),
    ['spec.global.asn', 'spec.netlinkImport.interfaceList'],
  );
});

test('what is not carried out is refused by name', () => {
  const { config, problems } = chooseBgpConfig([offerOf({ vrfs: [{ name: 'red' }] })]);
  assert.equal(config, undefined);
  assert.equal(describeProblems(problems), 'spec.vrfs[0]: VRFs are not carried out: remove it');
});
