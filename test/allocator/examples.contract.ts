/** The examples of the original documentation, as far as the allocator has a part in them. Their addresses are theirs. */

import assert from 'node:assert/strict';
import { ApiError } from '../../src/kube/api-error.ts';
import type { Resource } from '../../src/kube/resource.ts';
import { serviceGroups } from '../../src/kube/resources.ts';
import type { AllocatorWorld } from './allocator-world.ts';
import { expectEvents, expectService, type OpenWorld, scenarios } from './first-use.contract.ts';

const v1: Resource = { ...serviceGroups, version: 'v1' };

async function oldGroup(world: AllocatorWorld, name: string, spec: object): Promise<void> {
  await world.cluster.create(v1, { metadata: { name, namespace: 'purelb-system' }, spec });
}

async function refusalOf(creating: Promise<void>): Promise<string> {
  try {
    await creating;
    return 'accepted';
  } catch (error) {
    assert.ok(error instanceof ApiError, String(error));
    return `${error.status} ${error.message}`;
  }
}

async function specOf(world: AllocatorWorld, name: string): Promise<object> {
  const found = await world.readService(name);
  return (found?.spec ?? {}) as object;
}

const ask = (group: string) => ({ annotations: { 'purelb.io/service-group': group } });
const dual = { ipFamilyPolicy: 'RequireDualStack', ipFamilies: ['IPv4', 'IPv6'] };

const flat = {
  name: 'localaddrange',
  subnet: '192.168.151.0/24',
  pool: '192.168.151.240-192.168.151.250',
  aggregation: 'default',
};

function remoteDual(pool: string) {
  return {
    local: {
      v4pool: { subnet: '172.32.100.0/24', pool, aggregation: '/32' },
      v6pool: {
        subnet: 'fc00:370:155::/64',
        pool: 'fc00:370:155:0:8000::/126',
        aggregation: '/128',
      },
    },
  };
}

export function examplesContract(open: () => Promise<OpenWorld>): void {
  const scenario = scenarios(open);

  scenario('example 000: a flat group goes by the name in its spec', async (world) => {
    assert.match(await refusalOf(oldGroup(world, 'LocalAddressRange', flat)), /^422 .*lowercase/);
    await oldGroup(world, 'localaddressrange', flat);
    await world.service('web', ask('localaddrange'));
    await expectService(world, 'web', {
      ingress: ['192.168.151.240'],
      annotations: {
        'allocated-by': 'PureLB',
        'allocated-from': 'localaddrange',
        'allocated-prefixes': '192.168.151.240/24',
        'pool-type': 'auto',
        'service-group': 'localaddrange',
      },
    });
  });

  scenario('example 001: a flat group of a subnet that no node is on', async (world) => {
    const pool = '172.22.0.10-172.22.0.25';
    await oldGroup(world, 'virtaddrange', { name: 'virtaddrange', subnet: '172.22.0.0/24', pool });
    await world.service('one', ask('virtaddrange'));
    await expectService(world, 'one', { ingress: ['172.22.0.10'] });
    await world.service('two', ask('virtaddrange'));
    await expectService(world, 'two', { ingress: ['172.22.0.11'] });
  });

  scenario('example 002: a range that runs backwards is refused, and corrected', async (world) => {
    const wrong = oldGroup(world, 'remotedual', remoteDual('172.32.100.225-172.30.100.229'));
    assert.match(await refusalOf(wrong), /^422 /);
    await oldGroup(world, 'remotedual', remoteDual('172.32.100.225-172.32.100.229'));
    await world.service('web', { ...ask('remotedual'), spec: dual });
    await expectService(world, 'web', { ingress: ['172.32.100.225', 'fc00:370:155:0:8000::'] });
    await expectEvents(world, 'web', [
      'Normal AddressAssigned: Assigned 172.32.100.225, fc00:370:155:0:8000:: from pool remotedual',
    ]);
  });

  scenario(
    'example 003: a CIDR starts as written, and node ports are not needed',
    async (world) => {
      await oldGroup(world, 'localaddrange', {
        local: {
          v4pool: { subnet: '192.168.10.0/24', pool: '192.168.10.240-192.168.10.243' },
          v6pool: { subnet: 'fc00:270:154::/64', pool: 'fc00:270:154:0:8100::4/64' },
        },
      });
      const spec = { ...dual, allocateLoadBalancerNodePorts: false };
      await world.service('web', { ...ask('localaddrange'), spec });
      await expectService(world, 'web', { ingress: ['192.168.10.240', 'fc00:270:154:0:8100::4'] });
      const { ports = [] } = (await specOf(world, 'web')) as { ports?: readonly object[] };
      assert.deepEqual(
        ports.map((port) => 'nodePort' in port),
        [false],
      );
    },
  );

  scenario('example 004: local, remote, balanced, shared and one of each range', async (world) => {
    const subnet = '192.168.1.0/24';
    await world.group('default', { local: { v4pool: { subnet, pool: '192.168.1.240/29' } } });
    const far = { subnet: '172.31.0.0/24', pool: '172.31.0.1/32', aggregation: '/32' };
    await world.group('far', { remote: { v4pool: far } });
    const ranges = ['198.51.100.0/28', '203.0.113.0/28'].map((pool) => ({
      subnet: pool.replace('/28', '/24'),
      pool,
      aggregation: '/32',
    }));
    await world.group('even', { remote: { balancePools: true, v4pools: ranges } });
    const policy = { externalTrafficPolicy: 'Local' };
    const shared = { 'purelb.io/allow-shared-ip': 'front' };
    await world.service('near', { annotations: shared, port: 80 });
    await world.service('beside', { annotations: shared, port: 443 });
    await world.service('far', { ...ask('far'), spec: policy });
    await world.service('even-1', ask('even'));
    await expectService(world, 'near', { ingress: ['192.168.1.240'] });
    await expectService(world, 'beside', { ingress: ['192.168.1.240'] });
    await expectService(world, 'far', {
      ingress: ['172.31.0.1'],
      allocated: 'True Allocated: 172.31.0.1 from pool far',
    });
    await expectService(world, 'even-1', { ingress: ['198.51.100.0'] });
    await world.service('even-2', ask('even'));
    await expectService(world, 'even-2', { ingress: ['203.0.113.0'] });
    const every = { annotations: { 'purelb.io/service-group': 'each' } };
    const more = ranges.map(({ subnet: net, pool }) => ({
      subnet: net,
      pool: pool.replace('.0/', '.16/'),
    }));
    await world.group('each', { remote: { multiPool: true, v4pools: more } });
    await world.service('each', every);
    await expectService(world, 'each', { ingress: ['198.51.100.16', '203.0.113.16'] });
    const { externalTrafficPolicy } = (await specOf(world, 'far')) as Partial<typeof policy>;
    assert.equal(externalTrafficPolicy, 'Local');
  });
}
