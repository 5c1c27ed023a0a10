import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RouterIdChoice } from './bgp-config.ts';
import { read } from './cursor.ts';
import { ipOf } from './ip.ts';
import { isProblem, must } from './parsed.ts';
import { prefixOf } from './prefix.ts';
import { readBgpGlobal } from './read-bgp-global.ts';

const readGlobal = (global: object) => read({ asn: 64_500, ...global }, readBgpGlobal);

test('a speaker needs a number, and has everything else by default', () => {
  assert.deepEqual(must(readGlobal({})), {
    asn: 64_500,
    routerId: { kind: 'automatic' },
    routerIdPool: prefixOf('10.255.0.0/16'),
    families: ['ipv4-unicast', 'ipv6-unicast'],
    listenPort: 179,
    listenAddresses: [],
    bindToDevice: undefined,
    usesMultiplePaths: false,
    ebgpMaximumPaths: undefined,
    ibgpMaximumPaths: undefined,
    routeSelection: {
      alwaysCompareMed: false,
      ignoreAsPathLength: false,
      externalCompareRouterId: false,
      disableBestPathSelection: false,
    },
    gracefulRestart: undefined,
    policy: { import: undefined, export: undefined },
    nodeStatus: { isEnabled: true, heartbeatSeconds: 60 },
  });
  assert.ok(isProblem(read({}, readBgpGlobal)));
});

test('a router ID is an address or a template, and nothing in between', () => {
  const rows: readonly (readonly [text: string, choice: RouterIdChoice])[] = [
    ['', { kind: 'automatic' }],
    ['192.0.2.1', { kind: 'explicit', ip: ipOf('192.0.2.1') }],
    ['$' + '{NODE_IP}', { kind: 'node-ip' }],
    ['$' + '{NODE_IPV4}', { kind: 'node-ip' }],
    ['$' + '{NODE_EXTERNAL_IP}', { kind: 'node-external-ip' }],
    [
      '$' + "{node.annotations['example.com/id']}",
      { kind: 'node-annotation', key: 'example.com/id' },
    ],
  ];
  for (const [routerID, choice] of rows) {
    assert.deepEqual(must(readGlobal({ routerID })).routerId, choice, routerID);
  }
  for (const routerID of ['2001:db8::1', '7', '$' + '{HOME}', 'x$' + '{NODE_IP}', '$' + '{}']) {
    assert.ok(isProblem(readGlobal({ routerID })), routerID);
  }
});

test('hashed router IDs come from an IPv4 prefix of at least 256 addresses', () => {
  assert.deepEqual(
    must(readGlobal({ routerIDPool: '10.9.0.1/16' })).routerIdPool,
    prefixOf('10.9.0.0/16'),
  );
  for (const routerIDPool of ['10.9.0.0/25', '2001:db8::/24', 'x']) {
    assert.ok(isProblem(readGlobal({ routerIDPool })), routerIDPool);
  }
});

test('limits of paths need multiple paths', () => {
  assert.ok(isProblem(readGlobal({ ebgpMaximumPaths: 4 })));
  const { usesMultiplePaths, ebgpMaximumPaths } = must(
    readGlobal({ useMultiplePaths: true, ebgpMaximumPaths: 4 }),
  );
  assert.deepEqual([usesMultiplePaths, ebgpMaximumPaths], [true, 4]);
  assert.equal(must(readGlobal({ useMultiplePaths: true })).usesMultiplePaths, true);
});

test('what has no effect is warned of, a confederation that is off is none', () => {
  const reading = readGlobal({
    confederation: { enabled: false, identifier: 1 },
    defaultRouteDistance: { externalRouteDistance: 20 },
    routeSelectionOptions: { alwaysCompareMed: true, enableAigp: true },
  });
  assert.equal(must(reading).routeSelection.alwaysCompareMed, true);
  assert.deepEqual(
    reading.warnings.map(({ path, message }) => `${path} ${message}`),
    [
      'defaultRouteDistance.externalRouteDistance has no effect in the daemon: remove it',
      'routeSelectionOptions.enableAigp has no effect in the daemon: remove it',
    ],
  );
});
