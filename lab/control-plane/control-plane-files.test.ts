import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeTokens, renderTokenFile } from './control-plane-files.ts';

test('every user has a token of its own, and all the groups', () => {
  const users = { admin: ['system:masters', 'ops'], alice: [] };
  const tokens = makeTokens(users);
  assert.equal(new Set(tokens.values()).size, 2);
  assert.equal(
    renderTokenFile(users, tokens),
    `${tokens.get('admin')},admin,admin,"system:masters,ops"\n${tokens.get('alice')},alice,alice,""\n`,
  );
});
