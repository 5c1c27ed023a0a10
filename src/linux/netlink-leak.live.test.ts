import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { enterFreshNamespace } from '../../lab/fresh-namespace.ts';
import { missing } from '../../lab/missing.ts';
import type { Holdings } from './netlink-workload.fixture.ts';

const workload = new URL('netlink-workload.fixture.ts', import.meta.url).pathname;

/**
 * The bounds. What C code allocated and did not free moves by up to 0.2 MB; one forgotten poll handle per cycle would
 * be 1 MB. What JavaScript can still reach grows by 0.1 MB of compiled code; 1 MB are 10 bytes per operation.
 * Resident memory also holds what malloc and the collector keep in store, which after the warm-up moves by up to 11 MB
 * either way; over 1,000,000 operations it grew by 5 MB in all, so its 24 MB are only for what the others do not see.
 */
const bounds = {
  descriptors: 0,
  threads: 0,
  mallocBytes: 6e5,
  heapBytes: 1e6,
  residentBytes: 24e6,
} as const satisfies Holdings;

test('100,000 operations leave nothing behind', { skip: missing('ip') }, (context) => {
  enterFreshNamespace();
  const flags = ['--expose-gc', '--max-semi-space-size=1'];
  const output = execFileSync(process.execPath, [...flags, workload], {
    encoding: 'utf8',
    timeout: 60_000,
  });
  const [before, after]: readonly [Holdings, Holdings] = JSON.parse(output);
  const growth = (Object.keys(bounds) as (keyof Holdings)[]).map(
    (part) => [part, after[part] - before[part], bounds[part]] as const,
  );
  context.diagnostic(`growth: ${growth.map(([part, value]) => `${part} ${value}`).join(', ')}`);
  assert.deepEqual(
    growth.filter(([, value, bound]) => value > bound),
    [],
  );
});
