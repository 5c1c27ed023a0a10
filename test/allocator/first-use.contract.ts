/** What people see of the allocator, from the first Service to the last: the same on every API server. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '../../lab/eventually.ts';
import type { AllocatorWorld, ServiceLook } from './allocator-world.ts';
import { startHere, type TestAllocator } from './test-allocator.ts';

export interface OpenWorld {
  readonly world: AllocatorWorld;
  /** Leaves nothing behind for the next test. */
  close(): Promise<void>;
}

const soon = { withinMs: 5_000 } as const;
const finalizer = 'service.kubernetes.io/load-balancer-cleanup';
const v4 = { subnet: '192.0.2.0/24', pool: '192.0.2.10-192.0.2.11' };
const v6 = { subnet: '2001:db8::/64', pool: '2001:db8::10-2001:db8::11' };
export const local = { local: { v4pool: v4 } };

export type Scenario = (world: AllocatorWorld, allocator: TestAllocator) => Promise<void>;

/** One test in a world of its own, with one allocator. */
export function scenarios(open: () => Promise<OpenWorld>) {
  return (name: string, run: Scenario): void => {
    test(name, async () => {
      const { world, close } = await open();
      const allocator = await startHere(world);
      try {
        await run(world, allocator);
      } catch (error) {
        const log = allocator.lines.slice(-30).join('\n');
        throw new Error(`${error instanceof Error ? error.message : error}\n${log}`, {
          cause: error,
        });
      } finally {
        await allocator.stop();
        await close();
      }
    });
  };
}

export function expectService(
  world: AllocatorWorld,
  name: string,
  expected: Partial<ServiceLook> | undefined,
): Promise<void> {
  return eventually(async () => {
    const look = await world.look(name);
    if (look === undefined || expected === undefined) assert.equal(look, expected);
    else assert.deepEqual({ ...look, ...expected }, look);
  }, soon);
}

export function expectEvents(
  world: AllocatorWorld,
  name: string,
  expected: readonly string[],
  namespace?: string,
): Promise<void> {
  return eventually(async () => {
    assert.deepEqual(await world.eventsOf(name, namespace), expected);
  }, soon);
}

export function firstUseContract(open: () => Promise<OpenWorld>): void {
  const scenario = scenarios(open);

  scenario('a Service gets an address, all in one write, and everybody is told', async (world) => {
    await world.group('default', local);
    await world.service('web');
    await expectService(world, 'web', {
      ingress: ['192.0.2.10'],
      annotations: {
        'allocated-by': 'PureLB',
        'allocated-from': 'default',
        'allocated-prefixes': '192.0.2.10/24',
        'pool-type': 'local',
      },
      finalizers: [finalizer],
      allocated: 'True Allocated: 192.0.2.10 from pool default',
    });
    await expectEvents(world, 'web', [
      'Normal AddressAssigned: Assigned 192.0.2.10 from pool default',
    ]);
    await eventually(async () => {
      const { conditions: _, ...status } = await world.groupStatus('default');
      assert.deepEqual(status, {
        announce: 'Local',
        ipam: 'Cluster',
        addresses: ['192.0.2.10-192.0.2.11'],
        allocatedIPv4: 1,
        allocatedIPv6: 0,
        availableIPv4: 1,
        availableIPv6: 0,
        observedGeneration: 1,
        subnets: [{ subnet: '192.0.2.0/24', prefixLength: 24 }],
      });
    }, soon);
    await expectEvents(
      world,
      'default',
      ['Normal Parsed: ServiceGroup parsed successfully'],
      'purelb-system',
    );
  });

  scenario('a dual-stack Service gets an address of each family', async (world) => {
    await world.group('default', { local: { v4pool: v4, v6pool: v6 } });
    await world.service('web', {
      spec: { ipFamilyPolicy: 'RequireDualStack', ipFamilies: ['IPv6', 'IPv4'] },
    });
    await expectService(world, 'web', { ingress: ['2001:db8::10', '192.0.2.10'] });
    await expectEvents(world, 'web', [
      'Normal AddressAssigned: Assigned 2001:db8::10, 192.0.2.10 from pool default',
    ]);
  });

  scenario(
    'a Service that waits for a full pool is told once, and gets what is given back',
    async (world, allocator) => {
      await world.group('default', local);
      for (const name of ['a', 'b']) {
        await world.service(name);
        await eventually(
          async () => assert.equal((await world.look(name))?.ingress.length, 1),
          soon,
        );
      }
      await world.service('c');
      const message = 'pool "default" exhausted: no available addresses for shop/c';
      await expectService(world, 'c', {
        ingress: [],
        annotations: {},
        finalizers: [],
        allocated: `False Exhausted: ${message}`,
      });
      const failed = `Warning AllocationFailed: Failed to allocate IP for "shop/c": ${message}`;
      await expectEvents(world, 'c', [failed]);
      await world.editService('c', { metadata: { labels: { edited: 'yes' } } });
      await world.removeService('a');
      await expectService(world, 'c', { ingress: ['192.0.2.10'] });
      await expectEvents(world, 'c', [
        failed,
        'Normal AddressAssigned: Assigned 192.0.2.10 from pool default',
      ]);
      const metrics = await allocator.read('/metrics');
      const rejected = 'purelb_address_pool_allocation_rejected_total';
      assert.match(metrics, new RegExp(`${rejected}{pool="default",reason="exhausted"} 1\n`));
      assert.match(metrics, /purelb_address_pool_size{pool="default"} 2\n/);
      assert.match(metrics, /purelb_address_pool_addresses_in_use{pool="default"} 2\n/);
      assert.match(metrics, /purelb_k8s_client_config_loaded_bool 1\n/);
    },
  );

  scenario(
    'a Service that is deleted goes at once, and its address is free again',
    async (world) => {
      await world.group('default', local);
      await world.service('web', { finalizers: ['example.com/other'] });
      await expectService(world, 'web', { finalizers: ['example.com/other', finalizer] });
      await world.removeService('web');
      await expectService(world, 'web', {
        ingress: [],
        annotations: {},
        finalizers: ['example.com/other'],
        allocated: undefined,
      });
      await world.service('next');
      await expectService(world, 'next', { ingress: ['192.0.2.10'] });
      await world.editService('web', { metadata: { finalizers: null } });
      await expectService(world, 'web', undefined);
    },
  );

  scenario('a Service that is no longer a load balancer keeps nothing of ours', async (world) => {
    await world.group('default', local);
    await world.service('web', { annotations: { 'example.com/other': 'stays' } });
    await expectService(world, 'web', { ingress: ['192.0.2.10'] });
    await world.editService('web', { spec: { type: 'ClusterIP', ports: [{ port: 80 }] } });
    await expectService(world, 'web', {
      ingress: [],
      annotations: {},
      finalizers: [],
      allocated: undefined,
    });
    const other = (await world.readService('web'))?.metadata.annotations?.['example.com/other'];
    assert.equal(other, 'stays');
    await expectEvents(world, 'web', [
      'Normal AddressAssigned: Assigned 192.0.2.10 from pool default',
      'Normal AddressReleased: Service is Type ClusterIP, not LoadBalancer',
    ]);
  });

  scenario('what is not ours is not touched', async (world) => {
    await world.group('default', local);
    await world.service('theirs', { spec: { loadBalancerClass: 'example.com/other' } });
    await world.service('hostname', { spec: { loadBalancerClass: 'example.com/other' } });
    await world.writeServiceStatus('hostname', {
      loadBalancer: { ingress: [{ hostname: 'lb.example.com' }] },
    });
    const before = await Promise.all(['theirs', 'hostname'].map((name) => world.readService(name)));
    await world.service('ours');
    await expectService(world, 'ours', { ingress: ['192.0.2.10'] });
    const after = await Promise.all(['theirs', 'hostname'].map((name) => world.readService(name)));
    assert.deepEqual(after, before);
  });

  scenario('both classes are ours', async (world) => {
    await world.group('default', local);
    await world.service('v2', { spec: { loadBalancerClass: 'purelb.io/purelbv2' } });
    await expectService(world, 'v2', { ingress: ['192.0.2.10'] });
    await world.service('v1', { spec: { loadBalancerClass: 'purelb.io/purelb' } });
    await expectService(world, 'v1', { ingress: ['192.0.2.11'] });
  });
}
