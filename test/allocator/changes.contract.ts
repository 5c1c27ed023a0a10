/** Restarts, edits of groups and Services, nodes that come and go: what stays and what is said about it. */

import assert from 'node:assert/strict';
import { eventually } from '../../lab/eventually.ts';
import {
  expectEvents,
  expectService,
  local,
  type OpenWorld,
  scenarios,
} from './first-use.contract.ts';
import { startHere } from './test-allocator.ts';

const soon = { withinMs: 5_000 } as const;
const range = (pool: string) => ({ local: { v4pool: { subnet: '192.0.2.0/24', pool } } });

export function changesContract(open: () => Promise<OpenWorld>): void {
  const scenario = scenarios(open);

  scenario('a restart loses nothing and writes nothing', async (world, allocator) => {
    await world.group('default', local);
    for (const name of ['a', 'b', 'c']) await world.service(name);
    await expectService(world, 'b', { ingress: ['192.0.2.11'] });
    await eventually(async () => {
      const { allocatedIPv4 } = await world.groupStatus('default');
      assert.equal(allocatedIPv4, 2);
      assert.notEqual((await world.look('c'))?.allocated, undefined);
    }, soon);
    await allocator.stop();
    const before = [await world.allServices(), await world.allGroups()];
    const next = await startHere(world);
    try {
      await eventually(() => assert.equal(next.allocator.isWriting, true), soon);
      await eventually(() => assert.ok((next.allocator.last?.number ?? 0) > 1), soon);
      await world.removeService('a');
      await expectService(world, 'c', { ingress: ['192.0.2.10'] });
      const others = (objects: (typeof before)[0] | undefined) =>
        objects?.filter(({ metadata }) => metadata.name === 'b');
      assert.deepEqual(others(await world.allServices()), others(before[0]));
    } finally {
      await next.stop();
    }
  });

  scenario(
    'an edit of a group takes no address from anyone, and says what it means',
    async (world) => {
      await world.group('default', range('192.0.2.10-192.0.2.11'));
      await world.service('web');
      await expectService(world, 'web', { ingress: ['192.0.2.10'] });
      await world.editGroup('default', range('192.0.2.20-192.0.2.21'));
      const until = 'kept until annotation purelb.io/re-evaluate: "true" asks for another';
      const homeless = `no group in force has 192.0.2.10: ${until}`;
      await expectService(world, 'web', {
        ingress: ['192.0.2.10'],
        allocated: `True NotInPool: 192.0.2.10 from pool default; ${homeless}`,
      });
      await expectEvents(world, 'web', [
        'Normal AddressAssigned: Assigned 192.0.2.10 from pool default',
        `Warning ConfigurationWarning: ${homeless}`,
      ]);
      await world.editService('web', {
        metadata: { annotations: { 'purelb.io/re-evaluate': 'true' } },
      });
      await expectService(world, 'web', {
        ingress: ['192.0.2.20'],
        annotations: {
          'allocated-by': 'PureLB',
          'allocated-from': 'default',
          'allocated-prefixes': '192.0.2.20/24',
          'pool-type': 'local',
        },
        allocated: 'True Allocated: 192.0.2.20 from pool default',
      });
      await world.removeGroup('default');
      await expectService(world, 'web', { ingress: ['192.0.2.20'] });
    },
  );

  scenario('a group that overlaps another is refused, with a word on the group', async (world) => {
    await world.group('default', local);
    await expectEvents(
      world,
      'default',
      ['Normal Parsed: ServiceGroup parsed successfully'],
      'purelb-system',
    );
    await world.group('second', range('192.0.2.11-192.0.2.30'));
    const message = 'Pool overlaps with already defined pool "default"';
    await expectEvents(world, 'second', [`Warning ParseFailed: ${message}`], 'purelb-system');
    const { conditions } = await world.groupStatus('second');
    const [ready] = conditions as readonly { type: string; status: string; message: string }[];
    assert.deepEqual([ready?.type, ready?.status, ready?.message], ['Ready', 'False', message]);
    await world.service('web', { annotations: { 'purelb.io/service-group': 'second' } });
    const why = `no usable pool: ServiceGroup "second" was refused: ${message}`;
    await expectService(world, 'web', { allocated: `False NoUsablePool: ${why}` });
  });

  scenario(
    'a group outside the install namespace is passed over, and counted',
    async (world, allocator) => {
      await world.group('default', local);
      await world.group('astray', range('192.0.2.50-192.0.2.60'), 'shop');
      await eventually(async () => {
        const [event] = await world.eventsOf('astray');
        assert.match(
          event ?? '',
          /^Warning ServiceGroupOutOfScope: this local group is ignored because it is not in namespace "purelb-system"/,
        );
      }, soon);
      const gauge =
        'purelb_servicegroups_out_of_scope{namespace="shop",name="astray",type="local"} 1\n';
      assert.ok((await allocator.read('/metrics')).includes(gauge));
    },
  );

  scenario(
    'a multi-pool Service gets an address of each range that has nodes',
    async (world, allocator) => {
      await world.group('default', {
        local: {
          multiPool: true,
          v4pools: [
            { subnet: '192.0.2.0/24', pool: '192.0.2.10/30' },
            { subnet: '198.51.100.0/24', pool: '198.51.100.10/30' },
          ],
        },
      });
      await eventually(async () => {
        await world.renewNode('node1', '192.0.2.0/24');
        assert.match(await allocator.state(), /"subnet": "192.0.2.0\/24",\s+"isLive": true/);
      }, soon);
      await world.service('web');
      await expectService(world, 'web', { ingress: ['192.0.2.10'] });
      await world.renewNode('node2', '198.51.100.0/24');
      await expectService(world, 'web', { ingress: ['192.0.2.10', '198.51.100.10'] });
      await expectEvents(world, 'web', [
        'Normal AddressAssigned: Multi-pool: assigned 1 IPs from pool default: 192.0.2.10',
        'Normal AddressAssigned: Incremental multi-pool: added 1 IPs (total 2) from pool default: 198.51.100.10',
      ]);
    },
  );

  scenario('labels of a namespace choose its group', async (world) => {
    await world.group('tenants', {
      ...local,
      namespaceSelector: { matchLabels: { team: 'shop' } },
    });
    await world.service('web');
    await expectService(world, 'web', { ingress: ['192.0.2.10'] });
  });

  scenario('a group whose source cannot be used says why', async (world) => {
    await world.group('default', {
      netbox: { url: 'https://netbox.example.com', tenant: 'lb', aggregation: 'default' },
    });
    await world.service('web');
    const why =
      'Netbox has no API token: NETBOX_USER_TOKEN not set, and the group names no Secret in tokenSecretRef';
    await expectService(world, 'web', { ingress: [], allocated: `False Refused: ${why}` });
    await expectEvents(world, 'web', [
      `Warning AllocationFailed: Failed to allocate IP for "shop/web": ${why}`,
    ]);
  });

  scenario('an address in conflict is put aside, and the Service gets another', async (world) => {
    await world.group('default', range('192.0.2.10-192.0.2.40'));
    await world.service('web');
    await expectService(world, 'web', { ingress: ['192.0.2.10'] });
    const time = new Date().toISOString().replace(/\.\d+/, '');
    // What its owner writes on the Service is not believed; what the agent writes on its own Lease is.
    const forged = { 'purelb.io/conflict': `192.0.2.10,02:00:00:00:00:02,node1,${time}` };
    await world.editService('web', { metadata: { annotations: forged } });
    const reports = { 'purelb.io/conflicts': `192.0.2.10,02:00:00:00:00:01,${time}` };
    await world.renewNode('node1', '192.0.2.0/24', { annotations: reports });
    await expectService(world, 'web', { ingress: ['192.0.2.11'] });
    await eventually(async () => {
      const { quarantine } = await world.groupStatus('default');
      const [entry] = quarantine as readonly Record<string, string>[];
      const { address, reason, mac, node, service } = entry ?? {};
      const found = { address, reason, mac, node, service };
      assert.deepEqual(found, {
        address: '192.0.2.10',
        reason: 'Conflict',
        mac: '02:00:00:00:00:01',
        node: 'node1',
        service: 'shop/web',
      });
    }, soon);
  });

  scenario('an address cools down before it is given out again', async (world) => {
    await world.group('default', {
      local: {
        releaseCooldown: '1h',
        v4pool: { subnet: '192.0.2.0/24', pool: '192.0.2.10-192.0.2.40' },
      },
    });
    await world.service('web');
    await expectService(world, 'web', { ingress: ['192.0.2.10'] });
    await world.removeService('web');
    await expectService(world, 'web', undefined);
    const { quarantine } = await world.groupStatus('default');
    const [entry] = quarantine as readonly { address: string; reason: string }[];
    assert.deepEqual([entry?.address, entry?.reason], ['192.0.2.10', 'Cooldown']);
    await world.service('next');
    await expectService(world, 'next', { ingress: ['192.0.2.11'] });
  });
}
