import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { LoadBalancer } from '../../model/load-balancer.ts';
import { prefixOf } from '../../model/prefix.ts';
import { clusterNode, familySamples, member } from './cluster.fixture.ts';
import { ours } from './node.fixture.ts';
import { needEndpoints } from './place-addresses.ts';
import { planAddresses } from './plan-addresses.ts';
import {
  group,
  localGroup,
  remoteGroup,
  service,
  v4FarRange,
  v4Range,
  v6FarRange,
  v6Range,
} from './pool.fixture.ts';
import {
  eth0,
  kubeLb0,
  place,
  placed,
  type SnapshotSpec,
  snapshotOf,
  usualKernel,
} from './snapshot.fixture.ts';

const auto = group(
  'auto',
  {
    local: { v4pools: [v4Range, v4FarRange], v6pools: [v6Range, v6FarRange] },
    conflictCheck: { mode: 'Off' },
  },
  'purelb.io/v1',
);

for (const { family, vip, farIp, length, subnet, elsewhere } of familySamples) {
  const one = { nodes: ['a'] };
  const near = service('near', [vip], { from: 'auto' });
  const far = service('far', [farIp], { from: 'auto' });

  test(`${family}: T3: auto is local on nodes in the subnet and virtual on others`, () => {
    assert.deepEqual(placed({ ...one, pools: [auto], services: [near, far] }), [
      `${vip}: local eth0/${length} (electionWon)`,
      `${farIp}: remote kube-lb0/${length} (announcingNonLocal)`,
    ]);
  });

  test(`${family}: T3: a node in the subnet that was not elected has it nowhere`, () => {
    const { decisions } = place({ pools: [auto], services: [near] });
    const others = ['a', 'b', 'c'].map(
      (me) => place({ pools: [auto], services: [near], electorate: { me } }).wanted.length,
    );
    assert.equal(decisions.length, 1);
    assert.deepEqual(others.toSorted(), [0, 0, 1]);
  });

  test(`${family}: spec 4.2: a remote address in a node's subnet is announced locally`, () => {
    const remote = group('remote', {
      remote: { v4pools: [v4Range], v6pools: [v6Range] },
      conflictCheck: { mode: 'Off' },
    });
    assert.deepEqual(
      placed({ ...one, pools: [remote], services: [service('x', [vip], { from: 'remote' })] }),
      [`${vip}: local eth0/${length} (electionWon)`],
    );
  });

  test(`${family}: spec 4.2: a local address never goes on the virtual link`, () => {
    const local = group('local', { local: { v4pools: [v4FarRange], v6pools: [v6FarRange] } });
    assert.deepEqual(placed({ pools: [local], services: [service('x', [farIp])] }), [
      `${farIp}: absent (noLocalInterface)`,
    ]);
  });

  test(`${family}: spec 19 #27: without a default route remote addresses go on all the same`, () => {
    assert.deepEqual(
      placed({ kernel: { routes: [] }, services: [service('x', [farIp], { from: 'remote' })] }),
      [`${farIp}: remote kube-lb0/${length} (announcingNonLocal)`],
    );
  });

  test(`${family}: a link without carrier gives its addresses up, and they do not go virtual`, () => {
    for (const pools of [[auto], [localGroup]]) {
      assert.deepEqual(placed({ ...one, pools, services: [near], health: 'noCarrier' }), [
        `${vip}: absent (linkNotReady)`,
      ]);
    }
  });

  test(`${family}: an unknown group leaves what is outside the subnet as it is`, () => {
    assert.deepEqual(placed({ ...one, pools: [], services: [near, far] }), [
      `${vip}: absent (askingTheWire)`,
      `${farIp}: leave (poolUnknown)`,
    ]);
  });

  test(`${family}: decision 8: Netbox addresses go by the records of the allocator`, () => {
    const subnets = [{ subnet: prefixOf(`${farIp}/${length}`), prefixLength: length }];
    const recorded = new Map([['ipam', subnets]]);
    const annotations = { 'purelb.io/allocated-prefixes': `${farIp}/2` };
    const netbox = group('ipam', { netbox: { url: 'https://netbox.example', tenant: 't' } });
    const services = [service('x', [farIp], { from: 'ipam', annotations })];
    assert.deepEqual(placed({ pools: [netbox], services, more: { recorded } }), [
      `${farIp}: remote kube-lb0/${length} (announcingNonLocal)`,
    ]);
  });

  test(`${family}: trust: an address outside every group and every record is refused, near and far`, () => {
    const forged = {
      'purelb.io/pool-type': 'remote',
      'purelb.io/allocated-prefixes': `${farIp}/2`,
    };
    const bare = { isRecorded: false, annotations: forged };
    const services = [service('a', [vip], bare), service('b', [farIp], bare)];
    const refused = [`${vip}: absent (notGiven)`, `${farIp}: absent (notGiven)`];
    assert.deepEqual(placed({ ...one, pools: [], services }), refused);
    const subnets = [vip, farIp].map((ip) => ({
      subnet: prefixOf(`${ip}/${length}`),
      prefixLength: length,
    }));
    const more = { recorded: new Map([['other', subnets]]) };
    assert.deepEqual(
      placed({ ...one, pools: [], services, more }).map((line) => line.includes('notGiven')),
      [false, false],
      'as upstream leaves them, in a subnet that a group records',
    );
    assert.deepEqual(
      placed({ ...one, services }).map((line) => line.includes('notGiven')),
      [false, false],
      'as upstream leaves them, in a range',
    );
  });

  test(`${family}: invariant 6: what could not be read leaves everything as it is`, () => {
    for (const unread of ['links', 'addresses', 'routes'] as const) {
      const { decisions, wanted, left } = place({
        services: [near, far],
        kernel: { [unread]: undefined },
      });
      assert.deepEqual(
        decisions.map(({ reason }) => reason),
        Array(2).fill('resolutionIndeterminate'),
      );
      assert.deepEqual([wanted, left], [[], new Set([vip, farIp])]);
    }
  });

  test(`${family}: without a configuration there is nothing on the node`, () => {
    assert.deepEqual(placed({ services: [near, far], config: undefined }), [
      `${vip}: absent (noConfig)`,
      `${farIp}: absent (noConfig)`,
    ]);
  });

  test(`${family}: decision 25: a group may withdraw what nobody serves, near and far`, () => {
    const pool = group('auto', {
      withdrawWithoutEndpoints: true,
      conflictCheck: { mode: 'Off' },
      announce: 'auto',
      local: { v4pools: [v4Range, v4FarRange], v6pools: [v6Range, v6FarRange] },
    });
    const spec = { ...one, pools: [pool], services: [near, far] };
    assert.deepEqual(placed({ ...spec, endpoints: { 'shop/near': 'b' } }), [
      `${vip}: local eth0/${length} (electionWon)`,
      `${farIp}: absent (noEndpoints)`,
    ]);
    assert.deepEqual(place({ ...spec, endpoints: null }).left, new Set([vip, farIp]));
  });

  test(`${family}: T9: each address is elected among the nodes of its own subnet`, () => {
    const members = [
      member('a', { subnets: [prefixOf(subnet)] }),
      member('b', { subnets: [prefixOf(elsewhere)] }),
    ];
    const local = group('local', {
      conflictCheck: { mode: 'Off' },
      local: { v4pools: [v4Range, v4FarRange], v6pools: [v6Range, v6FarRange] },
    });
    const electorate = { members, mySubnets: [prefixOf(subnet)] };
    assert.deepEqual(
      placed({ nodes: ['a', 'b'], electorate, pools: [local], services: [near, far] }),
      [`${vip}: local eth0/${length} (electionWon)`, `${farIp}: absent (noLocalInterface)`],
    );
  });
}

test('only addresses that the allocator gave to a living load balancer count', () => {
  const ip = '198.51.100.7';
  const from = 'remote';
  const refused: readonly LoadBalancer[] = [
    service('type', [ip], { from, spec: { type: 'ClusterIP' } }),
    service('foreign', [ip], { from, annotations: { 'purelb.io/allocated-by': 'someone' } }),
    service('going', [ip], { from, deletionTimestamp: '2026-06-01T00:00:00Z' }),
    service('empty', [], { from }),
  ];
  assert.deepEqual(placed({ services: refused }), []);
});

test('a Service with addresses of both families has one decision for each', () => {
  const ips = ['2001:db8:ff::7', '198.51.100.7'];
  const services = [service('dual', ips, { from: 'remote' })];
  assert.deepEqual(
    place({ services }).decisions.map(({ ip }) => ip),
    ['198.51.100.7', '2001:db8:ff::7'],
  );
});

test('spec 19 #20: an address that left the Service is not wanted any more', () => {
  const held = [...(usualKernel.addresses ?? []), ours(kubeLb0, '2001:db8:ff::7/64')];
  const services = [service('single', ['198.51.100.7'], { from: 'remote' })];
  const { wanted, left } = place({ services, kernel: { addresses: held } });
  const { changes } = planAddresses({ wanted, left, held, now: 0 });
  assert.deepEqual(
    changes.map(({ change }) => `${change.kind} ${change.address.ip}`),
    ['add 198.51.100.7', 'remove 2001:db8:ff::7'],
  );
});

test('design 4.17: endpoints need to be watched only while a Service needs them', () => {
  const facts = (...loadBalancers: readonly LoadBalancer[]) => ({
    loadBalancers,
    pools: [localGroup, remoteGroup],
    recorded: new Map(),
  });
  const local = { spec: { externalTrafficPolicy: 'Local' } };
  assert.equal(needEndpoints(facts(service('a', ['192.0.2.100']))), false);
  assert.equal(needEndpoints(facts(service('a', ['192.0.2.100'], local))), true);
  assert.equal(needEndpoints(facts(service('a', [], local))), false);
  const spec = { withdrawWithoutEndpoints: true, local: { v4pools: [v4Range] } };
  const withdrawing = { ...facts(service('a', ['192.0.2.100'])), pools: [group('local', spec)] };
  assert.equal(needEndpoints(withdrawing), true);
});

const allVips = familySamples.flatMap(({ vips }) => vips.slice(0, 6));
const anyCluster = fc.record(
  {
    size: fc.integer({ min: 1, max: 6 }),
    excludedMask: fc.nat(63),
    deadMask: fc.nat(63),
    vips: fc.uniqueArray(fc.constantFrom(...allVips), { minLength: 1, maxLength: 8 }),
    slots: fc.array(fc.option(fc.nat(6), { nil: undefined }), { minLength: 8, maxLength: 8 }),
  },
  { noNullPrototype: true },
);

test('invariants 3 and 5: of all nodes of a cluster at most one has a local address', () => {
  fc.assert(
    fc.property(anyCluster, ({ size, excludedMask, deadMask, vips, slots }) => {
      const names = ['a', 'b', 'c', 'd', 'e', 'f'].slice(0, size);
      const isSet = (mask: number, bit: number) => (mask >> bit) % 2 === 1;
      const services = vips.map((ip, at) => {
        const node = names[slots[at] ?? names.length];
        const key = `purelb.io/announcing-${ip.includes(':') ? 'IPv6' : 'IPv4'}`;
        const annotations = node === undefined ? {} : { [key]: `${node},eth0,${ip}` };
        return service(`s${at}`, [ip], { annotations });
      });
      const spec: SnapshotSpec = {
        nodes: names,
        services,
        electorate: {
          liveness: new Map(
            names.map((name, at) => [name, isSet(deadMask, at) ? 'expired' : 'alive']),
          ),
          nodes: names.map((name, at) =>
            clusterNode(name, { isExcluded: isSet(excludedMask, at) }),
          ),
        },
      };
      // Whose Lease expired has no agent that would place anything.
      const living = names.filter((_, at) => !isSet(deadMask, at));
      const holders = living.flatMap((me) =>
        place({ ...spec, electorate: { ...spec.electorate, me } }).wanted.map(({ ip }) => ip),
      );
      assert.equal(new Set(holders).size, holders.length);
    }),
  );
});

test('invariant 6: nothing unknown ever removes an address', () => {
  const unread = fc.constantFrom('links', 'addresses', 'routes');
  fc.assert(
    fc.property(fc.uniqueArray(fc.constantFrom(...allVips)), unread, (vips, what) => {
      const addresses = vips.map((ip) => ours(eth0, `${ip}/${ip.includes(':') ? 64 : 24}`));
      const services = vips.map((ip) => service(`s${ip}`, [ip]));
      const snapshot = snapshotOf({ services, kernel: { addresses, [what]: undefined } });
      const { wanted, left } = place({ services, kernel: { addresses, [what]: undefined } });
      const { changes } = planAddresses({ wanted, left, held: addresses, now: snapshot.now });
      assert.deepEqual(changes, []);
    }),
  );
});
