import assert from 'node:assert/strict';
import { test } from 'node:test';
import { survivesHostileInput } from '../hostile-input.fixture.ts';
import { decodeMessages } from '../netlink-message.ts';
import { guardRules } from './guard-table.ts';
import { sent, told } from './nft-frames.fixture.ts';
import { decodeRule, encodeRule } from './nft-rule.ts';

function bodyOf(frame: Uint8Array): Uint8Array {
  return decodeMessages(frame)[0]?.body ?? assert.fail('no message');
}

const rulesSent = [
  sent.ruleLoopback,
  sent.ruleConnection,
  sent.ruleIcmp,
  sent.ruleIcmpv6,
  sent.rulePorts4,
  sent.rulePorts6,
  sent.ruleDrop,
  sent.ruleAddresses4,
  sent.ruleAddresses6,
].map(bodyOf);

const usesSet = (body: Uint8Array) =>
  decodeRule(body).expressions.some(({ kind }) => kind === 'lookup');

test('the guard’s rules say what nft’s say', () => {
  assert.deepEqual(rulesSent.map(decodeRule), guardRules);
});

test('rules that need no set are the same to the byte', () => {
  for (const [index, body] of rulesSent.entries()) {
    if (!usesSet(body)) assert.deepEqual(encodeRule(decodeRule(body)), body, `rule ${index}`);
  }
  assert.equal(rulesSent.filter(usesSet).length, 4);
});

test('rules are read as the kernel tells of them', () => {
  assert.deepEqual(
    told.rules.map((frame) => decodeRule(bodyOf(frame))),
    guardRules,
  );
});

test('the guard’s rules survive encoding and decoding', () => {
  for (const rule of guardRules) assert.deepEqual(decodeRule(encodeRule(rule)), rule);
});

test('a rule without any step is read', () => {
  const rule = { table: 'purelb', chain: 'input', expressions: [] };
  assert.deepEqual(decodeRule(encodeRule(rule)), rule);
});

test('hostile bytes decode or throw a WireError', () => {
  survivesHostileInput(decodeRule, told.rules.map(bodyOf));
});
