import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readBirdNeighbours } from './bird.ts';
import { readFrrNeighbours } from './frr.ts';
import { waysIn } from './router.ts';

test('what the kernel has by BGP is told by prefix, with all next hops of it', () => {
  const routes = [
    { dst: 'default', protocol: 'static', gateway: '192.0.2.254' },
    {
      dst: '203.0.113.128',
      protocol: 'bgp',
      nexthops: [{ gateway: '192.0.2.12' }, { gateway: '192.0.2.11' }],
    },
    { dst: '203.0.113.129', protocol: 'bird', via: { host: '2001:db8:1::11' } },
    { dst: '2001:db8:aa::1', protocol: 'bird', gateway: '2001:db8:1::12' },
    { dst: '2001:db8:aa::1', protocol: 'bird', gateway: '2001:db8:1::11' },
  ];
  assert.deepEqual(
    [...waysIn(routes)],
    [
      ['203.0.113.128', ['192.0.2.11', '192.0.2.12']],
      ['203.0.113.129', ['2001:db8:1::11']],
      ['2001:db8:aa::1', ['2001:db8:1::11', '2001:db8:1::12']],
    ],
  );
});

test('neighbours of BIRD are those whose session is established', () => {
  const text = [
    'BIRD 2.0.12 ready.',
    'Name       Proto      Table      State  Since         Info',
    'device1    Device     ---        up     12:00:00.000  ',
    '',
    'nodes0     BGP        ---        start  12:00:00.000  Passive',
    '  BGP state:          Passive',
    '    Neighbor range:   192.0.2.0/24',
    '',
    'node0_1    BGP        ---        up     12:00:01.000  Established   ',
    '  BGP state:          Established',
    '    Neighbor address: 192.0.2.11',
    '',
    'node0_2    BGP        ---        start  12:00:01.000  Connect   ',
    '    Neighbor address: 192.0.2.12',
  ].join('\n');
  assert.deepEqual(readBirdNeighbours(text), ['192.0.2.11']);
});

test('neighbours of FRR are those whose session is established, once for all families', () => {
  const peers = { '192.0.2.11': { state: 'Established' }, '192.0.2.12': { state: 'Active' } };
  const json = JSON.stringify({ ipv4Unicast: { peers }, ipv6Unicast: { peers }, other: {} });
  assert.deepEqual(readFrrNeighbours(json), ['192.0.2.11']);
  assert.deepEqual(readFrrNeighbours('{}'), []);
});
