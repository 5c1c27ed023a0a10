import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseAuditLog } from './audit-log.ts';

const line = (fields: object) =>
  `${JSON.stringify({
    requestReceivedTimestamp: '2026-11-15T10:00:00.123456Z',
    user: { username: 'allocator' },
    verb: 'patch',
    ...fields,
  })}\n`;

test('each request is one entry, whatever parts of a name it has', () => {
  const text =
    line({
      objectRef: { resource: 'services', subresource: 'status', namespace: 'shop', name: 'web' },
      responseStatus: { code: 409 },
    }) + line({ verb: 'list', objectRef: { resource: 'nodes' }, responseStatus: { code: 200 } });
  const shared = { at: Date.UTC(2026, 10, 15, 10, 0, 0, 123), user: 'allocator' };
  assert.deepEqual(parseAuditLog(text), [
    { ...shared, verb: 'patch', resource: 'services/status', object: 'shop/web', code: 409 },
    { ...shared, verb: 'list', resource: 'nodes', object: '/', code: 200 },
  ]);
});

test('a line that is still being written is left for later', () => {
  const text = line({}) + line({}).slice(0, 30);
  assert.equal(parseAuditLog(text).length, 1);
  assert.deepEqual(parseAuditLog(''), []);
});
