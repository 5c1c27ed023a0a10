import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Ip } from '../../model/ip.ts';
import type { Pool } from '../../model/pool.ts';
import { findTerms } from './announce-terms.ts';
import { familySamples } from './cluster.fixture.ts';
import { group, localGroup, remoteGroup, service, v4FarRange, v6FarRange } from './pool.fixture.ts';

function terms(
  pools: readonly Pool[],
  ip: Ip,
  from = '',
  annotations: Readonly<Record<string, string>> = {},
): string {
  const { grant } = service('web', [ip], { from, annotations });
  const { mode, pool, range, prefixLength } = findTerms(pools, grant, ip);
  return `${mode ?? 'nothing'} by ${pool?.name ?? 'none'}${range === undefined ? '' : "'s range"} /${prefixLength}`;
}

for (const { family, vip, farIp, length, hostLength } of familySamples) {
  test(`${family}: an address is announced as the group says whose range it lies in`, () => {
    const pools = [localGroup, remoteGroup];
    assert.equal(terms(pools, vip), `local by local's range /${length}`);
    assert.equal(terms(pools, farIp), `remote by remote's range /${length}`);
  });

  test(`${family}: T4: aggregation sets the prefix on the virtual link`, () => {
    const aggregation = `/${hostLength}`;
    const hosts = group('hosts', {
      remote: {
        v4pools: [{ ...v4FarRange, aggregation: '/32' }],
        v6pools: [{ ...v6FarRange, aggregation: '/128' }],
      },
    });
    assert.equal(terms([hosts], farIp), `remote by hosts's range ${aggregation}`);
  });

  test(`${family}: the group that the address was given from goes before others`, () => {
    const same = { v4pools: [v4FarRange], v6pools: [v6FarRange] };
    const pools = [
      group('a', { local: same }),
      group('b', { remote: same }),
      group('c', { remote: same }),
    ];
    assert.equal(terms(pools, farIp, 'c'), `remote by c's range /${length}`);
    assert.equal(terms(pools, farIp, 'gone'), `local by a's range /${length}`);
    assert.equal(terms(pools.slice(1).reverse(), farIp, 'gone'), `remote by b's range /${length}`);
  });

  test(`${family}: decision 9: without a range the allocator's prefix counts`, () => {
    const external = group('ipam', { external: { provider: 'x', announce: 'remote' } });
    const written = { 'purelb.io/allocated-prefixes': `203.0.113.1/24,${farIp}/${length}` };
    assert.equal(terms([external], farIp, 'ipam', written), `remote by ipam /${length}`);
    assert.equal(terms([external], farIp, 'ipam'), `remote by ipam /${hostLength}`);
  });

  test(`${family}: decision 9: so it does for a group that was edited since`, () => {
    const written = { 'purelb.io/allocated-prefixes': `${farIp}/${length}` };
    assert.equal(terms([localGroup], farIp, 'local', written), `local by local /${length}`);
  });

  test(`${family}: without the group the annotation says how it is announced`, () => {
    const written = { 'purelb.io/pool-type': 'remote' };
    assert.equal(terms([], farIp, 'gone', written), `remote by none /${hostLength}`);
    assert.equal(terms([], farIp, 'gone'), `nothing by none /${hostLength}`);
  });
}

test('decision 8: Netbox groups are auto, and their aggregation counts', () => {
  const netbox = {
    url: 'https://netbox.example',
    tenant: 't',
    prefixes: ['198.51.100.0/24'],
    aggregation: '/28',
  };
  const pool = group('netbox', { netbox });
  const [sample] = familySamples;
  assert.equal(terms([pool], sample?.farIp ?? ('' as Ip), 'netbox'), 'auto by netbox /28');
});

test('an aggregation for IPv6 leaves an IPv4 address of the same group alone', () => {
  const netbox = { url: 'https://netbox.example', tenant: 't', aggregation: '/64' };
  const pool = group('netbox', { netbox });
  const lengths = familySamples.map(({ farIp }) => terms([pool], farIp, 'netbox'));
  assert.deepEqual(lengths, ['auto by netbox /32', 'auto by netbox /64']);
});
