import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { ownPulse } from './own-pulse.ts';

function uptimeMs(): number {
  return 1000 * Number(readFileSync('/proc/uptime', 'utf8').split(' ')[0]);
}

test('boot time is what the kernel calls its uptime', () => {
  const before = uptimeMs();
  const boot = ownPulse.boot();
  // The kernel writes it in hundredths of a second.
  assert.ok(boot >= before && boot <= uptimeMs() + 10, `${before} ${boot}`);
});

test('a thread that computes has been busy for about as long', () => {
  const before = ownPulse.busy();
  for (let count = 0; ownPulse.busy() - before < 20; count += 1) assert.ok(count < 1e9);
  assert.ok(ownPulse.busy() > before);
});
