import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertSurvives } from './hostile.fixture.ts';
import type { KubeObject } from './kube-object.ts';
import { isProblem, must } from './parsed.ts';
import { prefixOf } from './prefix.ts';
import { readBgpConfiguration } from './read-bgp-configuration.ts';

function bgp(spec: unknown): KubeObject {
  return {
    apiVersion: 'bgp.purelb.io/v1',
    kind: 'BGPConfiguration',
    metadata: { name: 'default', namespace: 'purelb' },
    spec,
  };
}

const usual = {
  global: { asn: 64_500 },
  neighbors: [{ config: { peerAsn: 64_501, neighborAddress: '192.0.2.1' } }],
  netlinkImport: { enabled: true, interfaceList: ['kube-lb0'] },
};

const rich = {
  ...usual,
  neighbors: [
    {
      config: { neighborAddress: 'fe80::1%eth0', peerGroup: 'tor' },
      nodeSelector: { matchLabels: { rack: 'a' } },
      applyPolicy: { exportPolicy: { policies: ['out'], defaultAction: 'reject' } },
    },
  ],
  peerGroups: [{ config: { peerGroupName: 'tor', peerAsn: 64_501 }, bfd: {} }],
  dynamicNeighbors: [{ prefix: '192.0.2.0/24', peerGroup: 'tor' }],
  vrfs: [{ name: 'red', rd: '64500:1' }],
  definedSets: [{ name: 'vips', type: 'prefix', prefixes: [{ ipPrefix: '198.51.100.0/24' }] }],
  policyDefinitions: [
    {
      name: 'out',
      statements: [
        {
          name: 'vips',
          conditions: { prefixSet: { name: 'vips' } },
          actions: { routeAction: 'accept' },
        },
      ],
    },
  ],
  netlinkExport: { enabled: true, rules: [{ name: 'all' }] },
  serviceAttributes: { maxAsPathPrepend: 2 },
};

test('a configuration of one neighbour has everything else by default', () => {
  const config = must(readBgpConfiguration(bgp(usual)));
  assert.equal(config.global.asn, 64_500);
  assert.deepEqual(
    config.neighbors.map(({ peer }) => peer),
    [{ kind: 'address', ip: '192.0.2.1', zone: undefined }],
  );
  assert.deepEqual(config.netlinkImport, {
    isEnabled: true,
    vrf: undefined,
    interfaces: ['kube-lb0'],
    takesLocal: false,
  });
  assert.deepEqual(
    [config.peerGroups, config.dynamicNeighbors, config.vrfs, config.policies, config.definedSets],
    [[], [], [], [], []],
  );
  assert.equal(config.netlinkExport.isEnabled, false);
});

test('all its parts are read', () => {
  const reading = readBgpConfiguration(bgp(rich));
  const config = must(reading);
  assert.deepEqual(config.dynamicNeighbors, [
    { prefix: prefixOf('192.0.2.0/24'), peerGroup: 'tor' },
  ]);
  assert.deepEqual(
    [config.peerGroups[0]?.name, config.vrfs[0]?.name, config.policies[0]?.name],
    ['tor', 'red', 'out'],
  );
  assert.deepEqual(config.netlinkExport.rules[0]?.name, 'all');
  assert.equal(config.serviceAttributes.mostPrepends, 2);
  assert.deepEqual(reading.warnings, []);
});

test('what we do not carry out is named, all of it', () => {
  const reading = readBgpConfiguration(
    bgp({
      ...rich,
      global: {
        asn: 64_500,
        confederation: { enabled: true },
        families: ['ipv4-unicast', 'l2vpn-evpn'],
      },
      neighbors: [
        {
          config: { peerAsn: 1, neighborAddress: '192.0.2.1' },
          afiSafis: [{ family: 'ipv4-flowspec', enabled: true }],
        },
      ],
      policyDefinitions: [
        {
          name: 'out',
          statements: [{ conditions: { rpkiResult: 'valid' }, actions: { routeAction: 'accept' } }],
        },
      ],
    }),
  );
  assert.deepEqual(isProblem(reading) && reading.problems, [
    {
      path: 'spec.global.confederation',
      message: 'confederations are not carried out: remove it',
    },
    {
      path: 'spec.global.families[1]',
      message:
        'l2vpn-evpn is not carried out: remove it, we advertise ipv4-unicast and ipv6-unicast',
    },
    {
      path: 'spec.neighbors[0].afiSafis[0].family',
      message:
        'ipv4-flowspec is not carried out: remove it, we advertise ipv4-unicast and ipv6-unicast',
    },
    {
      path: 'spec.policyDefinitions[0].statements[0].conditions.rpkiResult',
      message: 'origin validation is not carried out: remove it',
    },
  ]);
});

test('names that nothing answers to are found, with what was meant', () => {
  const reading = readBgpConfiguration(
    bgp({
      ...rich,
      peerGroups: [{ config: { peerGroupName: 'tors' } }],
      definedSets: [{ name: 'vip' }],
      policyDefinitions: [{ ...rich.policyDefinitions[0], name: 'export' }],
    }),
  );
  assert.deepEqual(isProblem(reading) && reading.problems.map(({ message }) => message), [
    'there is no policy called "out"',
    'there is no defined set called "vips": did you mean vip?',
  ]);
  assert.deepEqual(reading.warnings, [
    { path: 'spec', message: 'there is no peer group called "tor": did you mean tors?' },
  ]);
});

test('no shape of object makes the reader fail', () => {
  assertSurvives(readBgpConfiguration, bgp(usual), bgp(rich));
});
