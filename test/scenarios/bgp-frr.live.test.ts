import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { missingBinaries } from '../../lab/control-plane/binaries.ts';
import { endpointSlice } from '../../lab/control-plane/objects.ts';
import { eventually } from '../../lab/eventually.ts';
import { missing } from '../../lab/missing.ts';
import { frrObstacle } from '../../lab/router/frr.ts';
import { startResponder } from '../../lab/traffic/responder.ts';
import { startUdpClient } from '../../lab/traffic/udp-client.ts';
import { bgpConfigurations } from '../../src/kube/resources.ts';
import { ipOf } from '../../src/model/ip.ts';
import { installNamespace, usualGroups } from './agent-world.ts';
import { bgpTroubles } from './bgp-troubles.contract.ts';
import { BgpWorld } from './bgp-world.ts';

const skip = missing('ip', 'vtysh', 'setpriv') || frrObstacle() || missingBinaries('gobgpd');
const patience = { withinMs: 30_000, everyMs: 50 };
const remote = { group: 'public', type: 'remote' } as const;

/** Two addresses of one prefix are one route. */
const wide = {
  remote: {
    v4pools: [{ subnet: '198.18.200.0/24', pool: '198.18.200.0/24', aggregation: 'default' }],
  },
};

describe('BGP with FRR', { skip }, () => {
  let bgp: BgpWorld;
  before(async () => {
    const routerOptions = { bfdMs: 100, holdTime: 90 };
    bgp = await BgpWorld.open({ router: 'frr', routerOptions, groups: { ...usualGroups, wide } });
  });
  after(async () => bgp[Symbol.asyncDispose]());

  const up = (number: number) =>
    eventually(async () => {
      const { healthy, neighbors } = await bgp.nodeStatus(number);
      assert.deepEqual([healthy, neighbors?.map(({ state }) => state)], [true, ['Established']]);
    }, patience);

  test('nothing is advertised without a configuration', async () => {
    await bgp.world.service('web', { ...remote, ips: ['203.0.113.130', '2001:db8:aa::7'] });
    await eventually(
      async () => assert.equal((await bgp.world.places('203.0.113.130')).length, 3),
      patience,
    );
    assert.deepEqual(await bgp.ways('203.0.113.130'), []);
  });

  test('the router spreads an address of either family over all nodes', async () => {
    await bgp.configure();
    await bgp.leadsTo('203.0.113.130', [1, 2, 3]);
    await bgp.leadsTo('2001:db8:aa::7', [1, 2, 3]);
    await Promise.all(bgp.numbers.map(up));
    await eventually(async () => {
      assert.deepEqual(await bgp.conditions(), [
        'Ready=True ReconcileSuccess: BGP configuration applied successfully',
        'RouterIDResolved=True Resolved: Router ID resolved via node-ipv4',
      ]);
    }, patience);
  });

  test('traffic policy Local narrows and widens the ways with the endpoints', async () => {
    const ips = ['203.0.113.131'];
    const spec = { externalTrafficPolicy: 'Local' };
    const serveOn = (...numbers: readonly number[]) =>
      bgp.world.endpoints(
        endpointSlice({
          service: 'local',
          namespace: 'shop',
          ports: [{ port: 80 }],
          endpoints: numbers.map((number) => ({
            node: `node${number}`,
            ip: `198.19.${number}.2`,
          })),
        }),
      );
    await serveOn(2);
    await bgp.world.service('local', { ...remote, ips, spec });
    await bgp.leadsTo('203.0.113.131', [2]);
    await serveOn(1, 2);
    await bgp.leadsTo('203.0.113.131', [1, 2]);
    await serveOn();
    await bgp.leadsTo('203.0.113.131', []);
    await bgp.leadsTo('203.0.113.130', [1, 2, 3]);
  });

  test('an aggregate stays until the last address of it goes, in either order', async () => {
    const group = { group: 'wide', type: 'remote' } as const;
    for (const [first, last] of [
      ['one', 'two'],
      ['two', 'one'],
    ] as const) {
      await bgp.world.service('one', { ...group, ips: ['198.18.200.1'] });
      await bgp.world.service('two', { ...group, ips: ['198.18.200.2'] });
      await eventually(async () => {
        assert.equal((await bgp.world.places('198.18.200.1')).length, 3);
        assert.equal((await bgp.world.places('198.18.200.2')).length, 3);
      }, patience);
      await bgp.leadsTo('198.18.200.0/24', [1, 2, 3]);
      await bgp.world.remove(first);
      const gone = first === 'one' ? '198.18.200.1' : '198.18.200.2';
      await eventually(async () => assert.deepEqual(await bgp.world.places(gone), []), patience);
      const left = first === 'one' ? '198.18.200.2' : '198.18.200.1';
      assert.equal((await bgp.world.places(left)).length, 3);
      await bgp.leadsTo('198.18.200.0/24', [1, 2, 3]);
      await bgp.world.remove(last);
      await bgp.leadsTo('198.18.200.0/24', []);
    }
  });

  test('other policies reach the router without a reset of the session', async () => {
    const since = (await bgp.nodeStatus(1)).neighbors;
    const exportPolicy = { policies: ['v4'], defaultAction: 'reject' };
    await bgp.reconfigure({
      neighbors: [bgp.neighbor({}, { applyPolicy: { exportPolicy } })],
      definedSets: [
        { type: 'prefix', name: 'v4', prefixes: [{ ipPrefix: '0.0.0.0/0', maskLengthMax: 32 }] },
      ],
      policyDefinitions: [
        {
          name: 'v4',
          statements: [
            { conditions: { prefixSet: { name: 'v4' } }, actions: { routeAction: 'accept' } },
          ],
        },
      ],
    });
    await bgp.leadsTo('2001:db8:aa::7', []);
    await bgp.leadsTo('203.0.113.130', [1, 2, 3]);
    await bgp.reconfigure({});
    await bgp.leadsTo('2001:db8:aa::7', [1, 2, 3]);
    const now = (await bgp.nodeStatus(1)).neighbors;
    const upSince = (list: typeof now) => list?.map((each) => Reflect.get(each, 'sessionUpSince'));
    assert.deepEqual(upSince(now), upSince(since));
  });

  test('metrics of BGP and of gobgpd itself, and its health, are told on ports of their own', async () => {
    const read = (port: number, path: string) => bgp.world.read(1, path, port);
    await eventually(async () => {
      assert.match(await read(7473, '/metrics'), /^k8gobgp_neighbors_established_total\S* 1$/m);
      assert.match(await read(7474, '/readyz'), /ok/);
      assert.match(await read(7475, '/metrics'), /^bgp_peer_state\{[^}]*peer="192\.0\.2\.1"/m);
    }, patience);
  });

  test('no packet is lost when agents and daemons are killed and start again', async () => {
    await Promise.all(bgp.numbers.map(up));
    await bgp.leadsTo('203.0.113.130', [1, 2, 3]);
    await Promise.all(bgp.world.lab.nodes.map((host) => startResponder(host)));
    const client = await startUdpClient(bgp.world.lab.host('client2'), {
      to: ipOf('203.0.113.130'),
      perSecond: 200,
    });
    await eventually(() => assert.ok(client.progress.received > 50), patience);
    await bgp.world.agent(1).kill();
    await bgp.daemon(1).kill();
    await bgp.daemon(1).start();
    await bgp.startAgent(1);
    await eventually(async () => {
      assert.equal((await bgp.session(1)).state, 'Established');
    }, patience);
    await bgp.leadsTo('203.0.113.130', [1, 2, 3]);
    const { lost, received } = await client.stop();
    assert.deepEqual([lost, received > 100], [0, true]);
  });

  bgpTroubles(() => bgp);

  test('a second configuration waits, and deletion of both withdraws everything', async () => {
    await bgp.configure({}, 'second');
    await eventually(async () => {
      const [ready] = await bgp.conditions('second');
      assert.match(ready ?? '', /^Ready=False MultipleConfigurations: purelb-system\/default/);
    }, patience);
    const { cluster } = bgp.world;
    const ref = (name: string) => ({ namespace: installNamespace, name });
    await cluster.delete(bgpConfigurations, ref('second'));
    await cluster.delete(bgpConfigurations, ref('default'));
    await bgp.leadsTo('203.0.113.130', []);
    await bgp.leadsTo('2001:db8:aa::7', []);
  });

  test('what is not carried out is refused by name, and changes nothing', async () => {
    await bgp.configure({ vrfs: [{ name: 'red' }] });
    await eventually(async () => {
      assert.deepEqual(await bgp.conditions(), [
        'Ready=False ConfigurationInvalid: spec.vrfs[0]: VRFs are not carried out: remove it',
      ]);
    }, patience);
  });
});
