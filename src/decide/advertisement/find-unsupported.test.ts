import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bgpConfig, router } from './advertisement.fixture.ts';
import { findUnsupported } from './find-unsupported.ts';

const paths = (spec: object) => findUnsupported(bgpConfig(spec)).map(({ path }) => path);

test('an ordinary configuration asks for nothing that is not carried out', () => {
  assert.deepEqual(paths({ neighbors: [router({ sendCommunity: 'both' })] }), []);
});

test('VRFs are refused wherever they are named', () => {
  assert.deepEqual(
    paths({
      vrfs: [{ name: 'red' }],
      neighbors: [router(), router({ neighborAddress: '198.51.100.2', vrf: 'red' })],
      netlinkImport: { enabled: true, interfaceList: ['kube-lb0'], vrf: 'red' },
      netlinkExport: { enabled: true, rules: [{ name: 'a', vrf: 'red' }] },
    }),
    [
      'spec.vrfs[0]',
      'spec.netlinkImport.vrf',
      'spec.netlinkExport.rules[0].vrf',
      'spec.neighbors[1].config.vrf',
    ],
  );
});

test('communities cannot be held back by sendCommunity', () => {
  const peerGroups = [{ config: { peerGroupName: 'tor', sendCommunity: 'none' } }];
  assert.deepEqual(paths({ neighbors: [router({ sendCommunity: 'standard' })], peerGroups }), [
    'spec.neighbors[0].config.sendCommunity',
    'spec.peerGroups[0].config.sendCommunity',
  ]);
});

test('dynamic neighbours need a speaker that listens', () => {
  const spec = {
    peerGroups: [{ config: { peerGroupName: 'tor', peerAsn: 64_501 } }],
    dynamicNeighbors: [{ prefix: '198.51.100.0/24', peerGroup: 'tor' }],
  };
  assert.deepEqual(paths(spec), []);
  assert.deepEqual(paths({ ...spec, global: { asn: 64_500, listenPort: -1 } }), [
    'spec.dynamicNeighbors',
  ]);
});
