import assert from 'node:assert/strict';
import { test } from 'node:test';
import { read } from './cursor.ts';
import { must } from './parsed.ts';
import { prefixOf } from './prefix.ts';
import { readGrant } from './read-grant.ts';

const readBoth = (annotations: unknown, loadBalancer?: unknown) =>
  must(
    read({ annotations, loadBalancer }, (root) => {
      const at = root.fields('annotations', 'loadBalancer');
      return readGrant(at.annotations, at.loadBalancer, []);
    }),
  );

test('nothing given is nothing', () => {
  assert.deepEqual(readBoth(undefined), {
    isOurs: false,
    record: undefined,
    ingress: [],
    hasForeignIngress: false,
    pools: [],
    poolType: undefined,
    prefixes: [],
    skipsDad: false,
    slots: [],
    strayFamilies: [],
    addedTo: undefined,
  });
});

test('what was given and by whom it is announced is read back', () => {
  const annotations = {
    'purelb.io/allocated-by': 'PureLB',
    'purelb.io/allocated-from': 'lan, lan',
    'purelb.io/allocated-prefixes': '192.0.2.7/24,2001:db8::7/64',
    'purelb.io/pool-type': 'local',
    'purelb.io/skip-ipv6-dad': 'true',
    'purelb.io/announcing-IPv4': 'node1,eth0,192.0.2.7',
    'purelb.io/announcing-IPv6': 'node2,eth0,2001:db8::7',
    'purelb.io/added-to': 'node1/eth0',
  };
  const ingress = [{ ip: '192.0.2.7' }, { ip: '2001:DB8::7', ipMode: 'VIP' }];
  assert.deepEqual(readBoth(annotations, { ingress }), {
    isOurs: true,
    record: undefined,
    ingress: ['192.0.2.7', '2001:db8::7'],
    hasForeignIngress: false,
    pools: ['lan'],
    poolType: 'local',
    prefixes: [prefixOf('192.0.2.7/24'), prefixOf('2001:db8::7/64')],
    skipsDad: true,
    slots: [
      { node: 'node1', link: 'eth0', ip: '192.0.2.7' },
      { node: 'node2', link: 'eth0', ip: '2001:db8::7' },
    ],
    strayFamilies: [],
    addedTo: 'node1/eth0',
  });
});

test('host names and what is no address are foreign', () => {
  for (const entry of [{ hostname: 'lb.example' }, { ip: 'x' }, {}]) {
    const grant = readBoth({}, { ingress: [{ ip: '192.0.2.7' }, entry] });
    assert.deepEqual([grant.ingress, grant.hasForeignIngress], [['192.0.2.7'], true]);
  }
});

test('a Service branded by another is not ours', () => {
  assert.equal(readBoth({ 'purelb.io/allocated-by': 'purelb' }).isOurs, false);
});

test('trust: slots of addresses that the Service does not have by its status do not count', () => {
  const annotations = {
    'purelb.io/announcing-IPv4': 'node1,eth0,192.0.2.7 evil,eth0,192.0.2.99',
    'purelb.io/announcing-IPv6': 'evil,eth0,2001:db8::99',
  };
  const { slots, strayFamilies } = readBoth(annotations, { ingress: [{ ip: '192.0.2.7' }] });
  assert.deepEqual(slots, [{ node: 'node1', link: 'eth0', ip: '192.0.2.7' }]);
  assert.deepEqual(strayFamilies, ['ipv4', 'ipv6']);
});
