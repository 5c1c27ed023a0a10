import assert from 'node:assert/strict';
import { test } from 'node:test';
import { WireError } from './wire-error.ts';

test('carries a stable code beside its message', () => {
  const error = new WireError('WIRE_MALFORMED', 'ARP packet: length 7');
  assert.ok(error instanceof Error);
  assert.deepEqual(
    [error.name, error.code, error.message],
    ['WireError', 'WIRE_MALFORMED', 'ARP packet: length 7'],
  );
});
