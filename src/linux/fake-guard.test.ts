import assert from 'node:assert/strict';
import { test } from 'node:test';
import { noGuard } from '../model/guard.ts';
import { ipOf } from '../model/ip.ts';
import { FakeFilter, FakeGuard } from './fake-guard.ts';
import { type GuardWorld, guardContract } from './guard.contract.ts';

function makeWorld(): GuardWorld {
  const filter = new FakeFilter();
  return {
    openGuard: () => new FakeGuard(filter),
    look() {
      const { addresses, openings } = filter.rules;
      if (addresses.length === 0) return undefined;
      const opened = openings.map(({ ip, protocol, port }) => {
        return `${ip} ${protocol.toLowerCase()} ${port}`;
      });
      return [...new Set([...addresses, ...opened])].sort();
    },
    damages: {
      change() {
        filter.isDamaged = true;
      },
      removal() {
        filter.rules = noGuard;
      },
    },
    lookAtOthers: () => '',
  };
}

guardContract('FakeGuard', makeWorld);

test('a kernel without nf_tables can be played', async () => {
  const guard = new FakeGuard();
  guard.filter.isSupported = false;
  assert.deepEqual(await guard.apply({ addresses: [ipOf('192.0.2.100')], openings: [] }), {
    kind: 'failed',
    code: 'Unsupported',
    words: 'this kernel has no nf_tables',
  });
  assert.deepEqual(await guard.apply(noGuard), { kind: 'unchanged' });
});
