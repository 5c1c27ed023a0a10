import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BgpSession } from './bgp-config.ts';
import { read } from './cursor.ts';
import { isProblem, must } from './parsed.ts';
import { readNeighbor, readPeerGroup } from './read-bgp-session.ts';

const nothingStated: BgpSession = {
  nodeSelector: [],
  description: undefined,
  peerAsn: undefined,
  localAsn: undefined,
  password: undefined,
  allowOwnAsn: undefined,
  replacePeerAsn: undefined,
  allowAspathLoopLocal: undefined,
  sendCommunity: undefined,
  removePrivate: undefined,
  sendSoftwareVersion: undefined,
  families: undefined,
  policy: undefined,
  timers: undefined,
  transport: undefined,
  gracefulRestart: undefined,
  multihopTtl: undefined,
  leastTtl: undefined,
  bfd: undefined,
};

const readConfig = (config: object, more: object = {}) =>
  read({ config: { peerAsn: 64_501, ...config }, ...more }, readNeighbor);

test('what a neighbour does not state stays unstated, so that its group may state it', () => {
  assert.deepEqual(must(readConfig({ neighborAddress: '192.0.2.1', localAsn: 0, peerGroup: '' })), {
    ...nothingStated,
    peerAsn: 64_501,
    peer: { kind: 'address', ip: '192.0.2.1', zone: undefined },
    peerGroup: undefined,
    isDown: false,
    vrf: undefined,
    routeReflector: undefined,
  });
  assert.deepEqual(must(read({ config: { peerGroupName: 'tor' } }, readPeerGroup)), {
    ...nothingStated,
    name: 'tor',
  });
});

test('everything can be stated', () => {
  const config = {
    neighborAddress: '2001:db8::1',
    localAsn: 64_502,
    description: 'tor',
    peerGroup: 'tor',
    adminDown: true,
    vrf: 'red',
    allowOwnAsn: 1,
    replacePeerAsn: true,
    allowAspathLoopLocal: true,
    sendCommunity: 'both',
    removePrivate: 'all',
    sendSoftwareVersion: true,
  };
  const routeReflector = { routeReflectorClient: true, routeReflectorClusterId: '192.0.2.9' };
  const nodeSelector = { matchLabels: { rack: 'a' } };
  assert.deepEqual(must(readConfig(config, { routeReflector, nodeSelector })), {
    ...nothingStated,
    nodeSelector: [{ key: 'rack', operator: 'In', values: ['a'] }],
    description: 'tor',
    peerAsn: 64_501,
    localAsn: 64_502,
    allowOwnAsn: 1,
    replacePeerAsn: true,
    allowAspathLoopLocal: true,
    sendCommunity: 'both',
    removePrivate: 'all',
    sendSoftwareVersion: true,
    peer: { kind: 'address', ip: '2001:db8::1', zone: undefined },
    peerGroup: 'tor',
    isDown: true,
    vrf: 'red',
    routeReflector: { isClient: true, clusterId: '192.0.2.9' },
  });
});

test('a neighbour is found by address or by link, and the link wins', () => {
  const peer = (config: object) => must(readConfig(config)).peer;
  assert.deepEqual(peer({ neighborInterface: 'eth0', neighborAddress: '192.0.2.1' }), {
    kind: 'link',
    link: 'eth0',
  });
  assert.deepEqual(peer({ neighborAddress: 'fe80::1%eth0' }), {
    kind: 'address',
    ip: 'fe80::1',
    zone: 'eth0',
  });
});

test('a password comes from a Secret, or stands in plain sight with a warning', () => {
  const neighborAddress = '192.0.2.1';
  const authPasswordSecretRef = { name: 'bgp', key: 'md5', optional: true };
  const reading = readConfig({ neighborAddress, authPassword: 'x', authPasswordSecretRef });
  assert.deepEqual(must(reading).password, {
    kind: 'secret',
    name: 'bgp',
    key: 'md5',
    isOptional: true,
  });
  assert.deepEqual(reading.warnings, [
    { path: 'config.authPassword', message: 'stands in plain sight: use authPasswordSecretRef' },
  ]);
  const inline = must(readConfig({ neighborAddress, authPassword: 'x' })).password;
  assert.deepEqual(inline, { kind: 'inline', text: 'x' });
});

test('what makes no sense is refused with what to do', () => {
  const rows: readonly (readonly [neighbor: object, ...problems: string[]])[] = [
    [
      {},
      'config: is missing',
      'config: give neighborAddress, or neighborInterface for unnumbered peering',
      'config.peerAsn: is missing',
    ],
    [
      { config: { peerAsn: 1 } },
      'config: give neighborAddress, or neighborInterface for unnumbered peering',
    ],
    [{ config: { neighborAddress: '192.0.2.1' } }, 'config.peerAsn: is missing'],
    [
      { config: { peerAsn: 1, neighborAddress: 'router' } },
      'config.neighborAddress: "router" is not an IP address',
    ],
    [
      { config: { peerAsn: 1, neighborAddress: 'fe80::1%' } },
      'config.neighborAddress: name the link after "%", such as fe80::1%eth0',
    ],
    [
      { config: { peerAsn: 1, neighborAddress: 'fe80::1' }, bfd: {} },
      'config: BFD with a link-local neighborAddress needs its zone, such as fe80::1%eth0',
    ],
  ];
  for (const [neighbor, ...expected] of rows) {
    const reading = read(neighbor, readNeighbor);
    const problems = isProblem(reading) ? reading.problems : [];
    assert.deepEqual(
      problems.map(({ path, message }) => `${path}: ${message}`),
      expected,
    );
  }
  assert.ok(isProblem(read({ config: {} }, readPeerGroup)));
});
