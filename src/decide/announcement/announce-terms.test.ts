import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Ip } from '../../model/ip.ts';
import type { Pool } from '../../model/pool.ts';
import { formatPrefix, networkOf, prefixOf } from '../../model/prefix.ts';
import { findTerms } from './announce-terms.ts';
import { familySamples } from './cluster.fixture.ts';
import { group, localGroup, remoteGroup, service, v4FarRange, v6FarRange } from './pool.fixture.ts';

interface Given {
  readonly annotations?: Readonly<Record<string, string>>;
  /** By some group's status. */
  readonly recorded?: readonly string[];
}

function terms(
  pools: readonly Pool[],
  ip: Ip,
  from = '',
  { annotations = {}, recorded = [] }: Given = {},
): string {
  const { grant } = service('web', [ip], { from, annotations });
  const subnets = recorded.map((text) => ({
    subnet: prefixOf(text),
    prefixLength: prefixOf(text).length,
  }));
  const { mode, pool, range, prefixLength } = findTerms(
    { pools, recorded: new Map([[from, subnets]]) },
    grant,
    ip,
  );
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

  const network = formatPrefix(networkOf({ ip: farIp, length }));
  const external = group('ipam', { external: { provider: 'x', announce: 'remote' } });

  test(`${family}: decision 9: without a range the allocator's record on the group counts`, () => {
    const recorded = ['203.0.113.0/25', network];
    assert.equal(terms([external], farIp, 'ipam', { recorded }), `remote by ipam /${length}`);
    assert.equal(terms([external], farIp, 'ipam'), `remote by ipam /${hostLength}`);
  });

  test(`${family}: decision 9: so it does for a group that was edited since`, () => {
    const recorded = [network];
    assert.equal(terms([localGroup], farIp, 'local', { recorded }), `local by local /${length}`);
  });

  test(`${family}: trust: a prefix length that stands on the Service is not believed`, () => {
    for (const forged of [2, 8]) {
      const annotations = {
        'purelb.io/allocated-prefixes': `${farIp}/${forged}`,
        'purelb.io/pool-type': 'remote',
      };
      const gone = terms([], farIp, 'gone', { annotations });
      assert.equal(gone, `remote by none /${hostLength}`);
      const given = terms([external], farIp, 'ipam', { annotations });
      assert.equal(given, `remote by ipam /${hostLength}`);
    }
  });

  test(`${family}: without the group the annotation says how it is announced`, () => {
    const written = { 'purelb.io/pool-type': 'remote' };
    assert.equal(
      terms([], farIp, 'gone', { annotations: written }),
      `remote by none /${hostLength}`,
    );
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
