import assert from 'node:assert/strict';
import { test } from 'node:test';
import { must } from '../../model/parsed.ts';
import { readNodeAgent } from '../../model/read-node-agent.ts';
import { findConfigChanges } from './config-changes.ts';

function configOf(local: object) {
  const metadata = { namespace: 'p', name: 'default' };
  return must(readNodeAgent({ metadata, spec: { local } })).local;
}

const say = (...configs: Parameters<typeof findConfigChanges>) =>
  findConfigChanges(...configs).map(({ field, before, after }) => `${field}: ${before} → ${after}`);

test('the same configuration has no changes', () => {
  assert.deepEqual(say(configOf({}), configOf({})), []);
  assert.deepEqual(say(undefined, undefined), []);
});

test('fields that differ are told with both values', () => {
  const after = configOf({ localInterface: 'eth1', dummyInterface: 'lb0', guard: true });
  assert.deepEqual(say(configOf({}), after), [
    'dummyLink: kube-lb0 → lb0',
    'isGuarded: false → true',
    'links.pattern: undefined → eth1',
  ]);
});

test('without a configuration before, or after, every field is a change', () => {
  const all = say(undefined, configOf({}));
  assert.ok(all.includes('localLifetime.validSeconds: undefined → 300'), all.join('\n'));
  assert.ok(all.includes('dummyLifetime.validSeconds: undefined → forever'));
  assert.equal(say(configOf({}), undefined).length, all.length);
});
