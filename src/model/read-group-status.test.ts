import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { isProblem, must } from './parsed.ts';
import { readGroupStatus } from './read-group-status.ts';

const group = (status: unknown) => ({ metadata: { name: 'lan' }, status });

test('what is in quarantine, until when and why is read back', () => {
  const status = {
    announce: 'Local',
    allocatedIPv4: 3,
    quarantine: [
      {
        address: '192.0.2.7',
        until: '1970-01-01T01:00:00Z',
        reason: 'Conflict',
        mac: '02:00:5E:10:00:01',
        node: 'node1',
      },
      {
        address: '2001:DB8::7',
        until: '1970-01-01T00:00:01Z',
        reason: 'Reserved',
        service: 'shop/web',
      },
    ],
    conditions: [{ type: 'Ready', status: 'True' }],
  };
  const { announce, quarantine, conditions } = must(readGroupStatus(group(status)));
  assert.equal(announce, 'Local');
  assert.equal(conditions.length, 1);
  assert.deepEqual(quarantine, [
    {
      ip: '192.0.2.7',
      until: 3_600_000,
      reason: 'Conflict',
      mac: '02:00:5e:10:00:01',
      node: 'node1',
      service: undefined,
    },
    {
      ip: '2001:db8::7',
      until: 1000,
      reason: 'Reserved',
      mac: undefined,
      node: undefined,
      service: 'shop/web',
    },
  ]);
});

test('an entry that cannot be read costs itself alone', () => {
  const entry = { address: '192.0.2.7', until: '1970-01-01T01:00:00Z', reason: 'Cooldown' };
  const quarantine = [{ ...entry, address: 'x' }, null, 7, { ...entry, reason: 'cooldown' }, entry];
  const reading = readGroupStatus(group({ announce: 7, quarantine, conditions: {} }));
  assert.deepEqual(
    must(reading).quarantine.map(({ ip }) => ip),
    ['192.0.2.7'],
  );
  assert.deepEqual(
    reading.warnings.map(({ path }) => path.replace('status.', '')),
    [
      'announce',
      'quarantine[0].address',
      'quarantine[1].address',
      'quarantine[1].until',
      'quarantine[1].reason',
      'quarantine[2]',
      'quarantine[2].address',
      'quarantine[2].until',
      'quarantine[2].reason',
      'quarantine[3].reason',
      'conditions',
    ],
  );
});

test('no status is refused, whatever it is', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (status, entry) => {
      assert.equal(isProblem(readGroupStatus(group(status))), false);
      assert.equal(isProblem(readGroupStatus(group({ quarantine: [entry] }))), false);
    }),
  );
});
