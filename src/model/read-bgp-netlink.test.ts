import assert from 'node:assert/strict';
import { test } from 'node:test';
import { read } from './cursor.ts';
import { isProblem, must } from './parsed.ts';
import { readNetlinkExport, readNetlinkImport, readVrf } from './read-bgp-netlink.ts';

test('nothing is advertised or installed unless asked for', () => {
  assert.deepEqual(must(read(undefined, readNetlinkImport)), {
    isEnabled: false,
    vrf: undefined,
    interfaces: [],
    takesLocal: false,
  });
  assert.deepEqual(must(read(undefined, readNetlinkExport)), {
    isEnabled: false,
    dampeningMs: 100,
    routeProtocol: 186,
    rules: [],
  });
});

test('an import needs interfaces', () => {
  assert.ok(isProblem(read({ enabled: true }, readNetlinkImport)));
  const imported = must(
    read({ enabled: true, interfaceList: ['kube-lb*'], vrf: '' }, readNetlinkImport),
  );
  assert.deepEqual(imported, {
    isEnabled: true,
    vrf: undefined,
    interfaces: ['kube-lb*'],
    takesLocal: false,
  });
  const local = { enabled: true, interfaceList: ['kube-lb0'], importLocalAddresses: true };
  assert.equal(must(read(local, readNetlinkImport)).takesLocal, true);
});

test('rules say which routes go where', () => {
  const rule = {
    name: 'a',
    communityList: ['64500:1'],
    largeCommunityList: ['64500:1:2'],
    vrf: 'red',
    tableId: 100,
    metric: 5,
    validateNexthop: false,
  };
  const { rules } = must(read({ enabled: true, rules: [rule, { name: 'b' }] }, readNetlinkExport));
  assert.deepEqual(rules, [
    {
      name: 'a',
      communities: ['64500:1'],
      largeCommunities: ['64500:1:2'],
      vrf: 'red',
      table: 100,
      metric: 5,
      validatesNexthop: false,
    },
    {
      name: 'b',
      communities: [],
      largeCommunities: [],
      vrf: undefined,
      table: 0,
      metric: 20,
      validatesNexthop: true,
    },
  ]);
});

test('two rules of one name, and what is no community, are refused', () => {
  const reading = read(
    { rules: [{ name: 'a' }, { name: 'a', communityList: ['70000:1'] }] },
    readNetlinkExport,
  );
  assert.deepEqual(isProblem(reading) && reading.problems, [
    {
      path: 'rules[1].communityList[0]',
      message: '"70000:1" is not a community such as 65000:100 or no-export',
    },
    { path: 'rules[1]', message: 'the name "a" is taken: give each rule its own' },
  ]);
});

test('a VRF has targets, and routes of its own in the kernel', () => {
  const vrf = {
    name: 'red',
    rd: '64500:1',
    importRt: ['64500:2'],
    exportRt: ['192.0.2.1:3'],
    netlinkImport: { enabled: true, interfaceList: ['red0'] },
    netlinkExport: { enabled: true, metric: 7 },
  };
  assert.deepEqual(must(read(vrf, readVrf)), {
    name: 'red',
    routeDistinguisher: '64500:1',
    importTargets: ['64500:2'],
    exportTargets: ['192.0.2.1:3'],
    netlinkImport: { isEnabled: true, vrf: undefined, interfaces: ['red0'], takesLocal: false },
    netlinkExport: {
      name: 'red',
      communities: [],
      largeCommunities: [],
      vrf: 'red',
      table: 0,
      metric: 7,
      validatesNexthop: true,
    },
  });
  assert.equal(must(read({ name: 'red' }, readVrf)).netlinkExport, undefined);
  assert.ok(isProblem(read({ name: 'red', rd: 'x' }, readVrf)));
});
