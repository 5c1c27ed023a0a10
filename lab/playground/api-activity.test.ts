import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tallyRequests } from './api-activity.ts';

test('requests of PureLB are renewals, writes or reads; those of others do not count', () => {
  const agent = 'system:serviceaccount:purelb-system:lbnodeagent';
  assert.deepEqual(
    tallyRequests({
      [`${agent} patch leases`]: 7,
      [`${agent} patch services/status`]: 2,
      [`${agent} create events`]: 1,
      [`${agent} watch services`]: 3,
      'admin create services': 5,
    }),
    { renewals: 7, writes: 3, reads: 3 },
  );
});
