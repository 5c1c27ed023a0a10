import assert from 'node:assert/strict';
import { test } from 'node:test';
import { anyRoute, noActions } from './bgp-config.ts';
import { read } from './cursor.ts';
import { must } from './parsed.ts';
import { readBgpPolicy } from './read-bgp-policy.ts';

test('a statement that asks for nothing is for any route, and leaves it as it is', () => {
  const statement = { name: 's', actions: { routeAction: 'reject' } };
  const [first] = must(read({ name: 'p', statements: [statement] }, readBgpPolicy)).statements;
  assert.deepEqual(first?.conditions, anyRoute);
  assert.deepEqual(first?.actions, { ...noActions, route: 'reject' });
});
