import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BgpRecord } from './bgp-record.ts';
import { describeNode } from './describe-node.ts';
import { peer, recordOf } from './record.fixture.ts';

const describe = (record: BgpRecord) => describeNode('node1', record);
const verdict = (record: BgpRecord) => {
  const { isHealthy, reason, message } = describe(record).verdict;
  return `${isHealthy ? 'healthy' : 'unhealthy'} ${reason}: ${message}`;
};

test('a node with its session up and its address advertised is healthy', () => {
  const { status } = describe(recordOf());
  assert.deepEqual(status, {
    nodeName: 'node1',
    routerID: '192.0.2.11',
    routerIDSource: 'node-ipv4',
    asn: 64_500,
    heartbeatSeconds: 60,
    neighborCount: 1,
    neighbors: [
      {
        address: '198.51.100.1',
        peerASN: 64_501,
        localASN: 64_500,
        state: 'Established',
        sessionUpSince: '2026-06-01T12:00:00Z',
        prefixesSent: 1,
        prefixesReceived: 0,
      },
    ],
    netlinkImport: {
      enabled: true,
      interfaces: [{ name: 'kube-lb0', exists: true, operState: 'up' }],
      importedAddresses: [{ address: '203.0.113.7/24', interface: 'kube-lb0', inRIB: true }],
      totalImported: 1,
      truncated: false,
    },
    rib: {
      localRoutes: [{ prefix: '203.0.113.0/24', nextHop: '0.0.0.0' }],
      localRouteCount: 1,
      receivedRoutes: [],
      receivedRouteCount: 0,
      truncated: false,
    },
    netlinkExport: null,
    healthy: true,
  });
  assert.equal(
    verdict(recordOf()),
    'healthy AllHealthy: 1 neighbor(s) established, 1 route(s) advertised',
  );
});

test('a daemon that does not answer is not healthy, whatever was known before', () => {
  const record = recordOf({ state: undefined, failures: ['no answer within 5000 ms'] });
  assert.equal(verdict(record), 'unhealthy DaemonUnreachable: no answer within 5000 ms');
  assert.deepEqual(describe(record).status['neighbors'], []);
});

test('a session that is down makes the node unhealthy, with its reason', () => {
  const down = peer({ state: 'Active', upSince: undefined, lastError: 'hold timer expired' });
  const record = recordOf({}, { peers: [down] });
  assert.equal(verdict(record), 'unhealthy Degraded: no session with 198.51.100.1');
  const [neighbor] = describe(record).status['neighbors'] as readonly { lastError: string }[];
  assert.equal(neighbor?.lastError, 'hold timer expired');
  const closed = recordOf({}, { peers: [{ ...down, isDown: true }] });
  assert.match(verdict(closed), /^healthy/);
});

test('what could not be done, and what waits for a Secret or a restart, is told', () => {
  const notes = [{ reason: 'PeerNotConfigured', message: 'neighbour x: no Secret' } as const];
  assert.match(verdict(recordOf({ notes })), /^unhealthy Degraded: neighbour x: no Secret/);
  assert.match(verdict(recordOf({ failures: ['add-peer x: no'] })), /Degraded: add-peer x: no/);
  assert.match(
    verdict(recordOf({ needsRestart: ['asn'] })),
    /^unhealthy GlobalRestartRequired: asn changed/,
  );
});

test('BFD and learnt routes are shown where there are any', () => {
  const bfd = { state: 'Up', remoteState: 'Up', failures: 2 } as const;
  const { status } = describe(recordOf({}, { peers: [peer({ bfd })] }));
  const [neighbor] = status['neighbors'] as readonly { bfd: object }[];
  assert.deepEqual(neighbor?.bfd, { state: 'Up', remoteState: 'Up', failureTransitions: 2 });
});

test('long lists are cut, and say so', () => {
  const [path] = recordOf().state?.paths ?? [];
  if (path === undefined) throw new Error('no path');
  const paths = Array.from({ length: 501 }, () => path);
  const { rib } = describe(recordOf({}, { paths })).status as {
    rib: { localRoutes: readonly unknown[]; localRouteCount: number; truncated: boolean };
  };
  assert.deepEqual([rib.localRoutes.length, rib.localRouteCount, rib.truncated], [500, 501, true]);
});
