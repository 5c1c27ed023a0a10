import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertSurvives } from './hostile.fixture.ts';
import { ipOf } from './ip.ts';
import type { KubeObject } from './kube-object.ts';
import { macOf } from './mac.ts';
import { isProblem, must } from './parsed.ts';
import { formatPrefix, prefixOf } from './prefix.ts';
import { readLease } from './read-lease.ts';

const links =
  '{"version":1,"links":[{"name":"eth0","macs":["02:00:5e:10:00:01"],"addresses":["192.0.2.11/24"],"gateways":[]}]}';

function lease(annotations?: Record<string, string>, name = 'purelb-node-node1'): KubeObject {
  return {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { name, namespace: 'purelb', resourceVersion: '9', annotations: annotations ?? {} },
    spec: {
      holderIdentity: 'node1',
      leaseDurationSeconds: 10,
      renewTime: '2026-01-31T12:00:00.123456Z',
    },
  };
}

test('a Lease of ours says who the member is and what may answer for it', () => {
  const annotations = {
    'purelb.io/subnets': '192.0.2.0/24,2001:db8::/64',
    'purelb.io/instance': 'pod-uid',
    'purelb.io/links': links,
    'purelb.io/failing': '192.0.2.100',
    'purelb.io/handing': 'node2=192.0.2.101',
    'purelb.io/conflicts': '192.0.2.7,02:00:5e:10:00:01,1970-01-01T00:00:00Z',
    'purelb.io/lifetimes': '149.5;298=192.0.2.101',
    'purelb.io/peer-keys': '0a0b0c0d,rubbish, 01020304',
  };
  assert.deepEqual(readLease(lease(annotations)), {
    value: {
      node: 'node1',
      instance: 'pod-uid',
      subnets: [prefixOf('192.0.2.0/24'), prefixOf('2001:db8::/64')],
      links: [
        {
          name: 'eth0',
          macs: [macOf('02:00:5e:10:00:01')],
          addresses: [prefixOf('192.0.2.11/24')],
          gateways: [],
        },
      ],
      unmarked: [],
      failing: [ipOf('192.0.2.100')],
      handing: [{ ip: ipOf('192.0.2.101'), node: 'node2' }],
      conflicts: [
        { ip: ipOf('192.0.2.7'), mac: macOf('02:00:5e:10:00:01'), node: 'node1', seenAt: 0 },
      ],
      lifetimes: { usual: 149.5, others: new Map([[ipOf('192.0.2.101'), 298]]) },
      protocolVersion: 1,
      peerKeys: ['0a0b0c0d', '01020304'],
      renewTime: '2026-01-31T12:00:00.123456Z',
      durationMs: 10_000,
      resourceVersion: '9',
    },
    warnings: [],
  });
});

test("an upstream agent's Lease is a member's that speaks no protocol of ours", () => {
  const member = must(readLease(lease({ 'purelb.io/subnets': '', 'purelb.io/instance': '' })));
  assert.deepEqual(
    [member.subnets, member.links, member.failing, member.protocolVersion, member.instance],
    [[], [], [], 0, ''],
  );
});

test('subnets that are none are passed over, and no more than 256 are read', () => {
  const read = (subnets: string) =>
    must(readLease(lease({ 'purelb.io/subnets': subnets }))).subnets;
  assert.deepEqual(read('x, 192.0.2.9/24 ,,198.51.100.0/33').map(formatPrefix), ['192.0.2.0/24']);
  assert.equal(read('192.0.2.0/24,'.repeat(1000)).length, 256);
});

test('links that cannot be read are warned of, and the member stays one', () => {
  const reading = readLease(lease({ 'purelb.io/links': '{' }));
  assert.equal(must(reading).node, 'node1');
  assert.deepEqual(reading.warnings, [
    {
      path: 'metadata.annotations[purelb.io/links]',
      message: 'is not JSON that an agent wrote',
    },
  ]);
});

test("a Lease of someone else's, or never renewed, is no member's", () => {
  assert.ok(isProblem(readLease(lease({}, 'kube-scheduler'))));
  assert.ok(isProblem(readLease(lease({}, 'purelb-node-'))));
  assert.ok(isProblem(readLease({ ...lease(), spec: { leaseDurationSeconds: 10 } })));
  assert.ok(isProblem(readLease({ ...lease(), spec: { renewTime: '2026-01-31T12:00:00Z' } })));
});

test('no shape of object makes the reader fail', () => {
  assertSurvives(
    readLease,
    lease({ 'purelb.io/links': links, 'purelb.io/subnets': '192.0.2.0/24' }),
  );
});
