import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Ip } from '../../model/ip.ts';
import type { Sight } from '../failover/seen-addresses.ts';
import { familySamples } from './cluster.fixture.ts';
import { planReachable, type UnansweredSince } from './plan-reachable.ts';
import { type ServiceSpec, service } from './pool.fixture.ts';
import { now, wallNow } from './snapshot.fixture.ts';

const stamp = '2026-06-01T12:00:00Z';
const nothing: UnansweredSince = new Map();
const [v4, v6] = familySamples.map(({ vip }) => vip);
assert.ok(v4 !== undefined && v6 !== undefined);

const [onA, onB] = [`${v4} on a`, `${v6} on b`];
const annotations = {
  'purelb.io/announcing-IPv4': `a,eth0,${v4}`,
  'purelb.io/announcing-IPv6': `b,eth0,${v6}`,
};
const web = (more: ServiceSpec = {}, ips: readonly Ip[] = [v4, v6]) =>
  service('web', ips, { annotations, ...more });
const condition = (status: 'True' | 'False', message: string, time = stamp) => ({
  type: 'Reachable' as const,
  status,
  reason: status === 'True' ? 'Answering' : 'NoAnswer',
  message,
  lastTransitionTime: time,
});
const good = condition('True', 'other nodes get answers');
const plan = (
  about: ReturnType<typeof web>,
  seen: readonly (readonly [string, Sight])[],
  { since = nothing, node = 'me' }: { since?: UnansweredSince; node?: string } = {},
) => {
  const wire = { seen: new Map(seen) };
  return planReachable({ node, loadBalancers: [about], wire, now, wallNow }, since);
};
const written = (...args: Parameters<typeof plan>) => [...plan(...args).conditions.values()];

test('nothing is said of what was never missed', () => {
  assert.deepEqual(written(web(), [[onA, 'answers']]), []);
  assert.deepEqual(written(web(), [[onA, 'unknown']]), []);
  assert.deepEqual(written(web(), []), []);
  assert.deepEqual(written(web({ conditions: [good] }), [[onA, 'answers']]), []);
});

test('that an address does not answer is said when it has lasted, by who watches it', () => {
  const first = plan(web(), [[onB, 'silent']]);
  assert.deepEqual([first.conditions.size, first.wakeAt], [0, now + 3_000]);
  const since = new Map([[onB, now - 3_000]]);
  const bad = condition('False', `no answer from ${v6} on b`);
  assert.deepEqual(written(web(), [[onB, 'silent']], { since }), [bad]);
  assert.deepEqual(written(web({ conditions: [good] }), [[onB, 'silent']], { since }), [bad]);
  assert.deepEqual(written(web({ conditions: [bad] }), [[onB, 'silent']], { since }), []);
});

test('what another node found is left to that node', () => {
  const before = '2026-05-01T00:00:00Z';
  const bad = condition('False', `no answer from ${v6} on b`, before);
  assert.deepEqual(written(web({ conditions: [bad] }), [[onA, 'answers']]), []);
  const since = new Map([[onA, now - 3_000]]);
  assert.deepEqual(written(web({ conditions: [bad] }), [[onA, 'silent']], { since }), [
    condition('False', `no answer from ${v4} on a, ${v6} on b`, before),
  ]);
  assert.deepEqual(written(web({ conditions: [bad] }), [[onB, 'answers']]), [good]);
});

test('an address that went to another node is no longer missed, and its holder may say so', () => {
  const bad = condition('False', `no answer from ${v4} on dead`);
  const told = web({ conditions: [bad] });
  assert.deepEqual(written(told, [], { node: 'a' }), [good]);
  assert.deepEqual(written(told, [], { node: 'c' }), []);
});

test('who held an address before is not asked about it, though it is watched for a while longer', () => {
  const former = `${v4} on dead`;
  const since = new Map([[former, now - 9_000]]);
  for (const node of ['a', 'me']) {
    assert.deepEqual(written(web(), [[former, 'silent']], { node, since }), []);
    assert.deepEqual(
      written(web({ conditions: [good] }), [[former, 'silent']], { node, since }),
      [],
    );
  }
});

test('addresses that are gone are forgotten', () => {
  const bad = condition('False', 'no answer from 192.0.2.99 on b');
  assert.deepEqual(written(web({ conditions: [bad] }), [[onA, 'answers']]), [good]);
});
