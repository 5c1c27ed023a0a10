import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { missingBinaries } from '../../lab/control-plane/binaries.ts';
import { endpointSlice } from '../../lab/control-plane/objects.ts';
import { eventually } from '../../lab/eventually.ts';
import { isolate } from '../../lab/faults/cut.ts';
import { missing } from '../../lab/missing.ts';
import { frrObstacle } from '../../lab/router/frr.ts';
import { startResponder } from '../../lab/traffic/responder.ts';
import { startUdpClient } from '../../lab/traffic/udp-client.ts';
import { mergePatch } from '../../src/kube/patch.ts';
import { bgpConfigurations, secrets } from '../../src/kube/resources.ts';
import { ipOf } from '../../src/model/ip.ts';
import { installNamespace, usualGroups } from './agent-world.ts';
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
    bgp = await BgpWorld.open({ router: 'frr', groups: { ...usualGroups, wide } });
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
      await bgp.leadsTo('198.18.200.0/24', [1, 2, 3]);
      await bgp.world.remove(last);
      await bgp.leadsTo('198.18.200.0/24', []);
    }
  });

  test('other policies reach the router without a reset of the session', async () => {
    const since = (await bgp.nodeStatus(1)).neighbors;
    const exportPolicy = { policies: ['v4'], defaultAction: 'reject' };
    const [neighbor] = (bgp.usual() as { neighbors: readonly object[] }).neighbors;
    await bgp.reconfigure({
      neighbors: [{ ...neighbor, applyPolicy: { exportPolicy } }],
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
      const { state } = JSON.parse(await bgp.peerOf(1)) as { state: string };
      assert.equal(state, 'Established');
    }, patience);
    await bgp.leadsTo('203.0.113.130', [1, 2, 3]);
    const { lost, received } = await client.stop();
    assert.deepEqual([lost, received > 100], [0, true]);
  });

  test('a node that is cut off takes only its own share with it', async () => {
    const fault = await isolate(bgp.world.lab.node(3));
    await bgp.leadsTo('203.0.113.130', [1, 2]);
    await fault.heal();
    await bgp.leadsTo('203.0.113.130', [1, 2, 3], 60_000);
  });

  test('a router that starts anew learns everything again', async () => {
    await bgp.router.kill();
    await bgp.router.start();
    await bgp.leadsTo('203.0.113.130', []);
    await bgp.leadsTo('203.0.113.130', [1, 2, 3], 60_000);
    await bgp.leadsTo('2001:db8:aa::7', [1, 2, 3], 60_000);
  });

  test('a wrong AS number is told, and put right without help', async () => {
    const [neighbor] = (bgp.usual() as { neighbors: readonly { config: object }[] }).neighbors;
    const config = { ...neighbor?.config, peerAsn: 64_999 };
    await bgp.reconfigure({ neighbors: [{ ...neighbor, config }] });
    await bgp.leadsTo('203.0.113.130', []);
    await eventually(async () => {
      const { healthy, conditions } = await bgp.nodeStatus(1);
      assert.equal(healthy, false);
      assert.match(conditions?.[0]?.message ?? '', /no session with 192\.0\.2\.1/);
    }, patience);
    await bgp.reconfigure({});
    await bgp.leadsTo('203.0.113.130', [1, 2, 3], 60_000);
  });

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

  test('a password comes from a Secret, and a new one is taken on', async () => {
    const { cluster } = bgp.world;
    const ref = { namespace: installNamespace, name: 'bgp' };
    const data = (text: string) => ({ md5: Buffer.from(text).toString('base64') });
    const [neighbor] = (bgp.usual() as { neighbors: readonly { config: object }[] }).neighbors;
    const authPasswordSecretRef = { name: 'bgp', key: 'md5' };
    const config = { ...neighbor?.config, authPasswordSecretRef };
    await bgp.secureRouter('hunter2');
    await bgp.reconfigure({ vrfs: undefined, neighbors: [{ ...neighbor, config }] });
    await eventually(async () => {
      const { conditions } = await bgp.nodeStatus(1);
      assert.match(conditions?.[0]?.message ?? '', /there is no Secret bgp/);
    }, patience);
    await cluster.create(secrets, { metadata: ref, data: data('wrong') });
    await eventually(async () => {
      assert.deepEqual(
        (await bgp.nodeStatus(1)).neighbors?.map(({ address }) => address),
        ['192.0.2.1'],
      );
    }, patience);
    assert.deepEqual(await bgp.ways('203.0.113.130'), []);
    await cluster.patch(secrets, ref, mergePatch({ data: data('hunter2') }));
    await bgp.leadsTo('203.0.113.130', [1, 2, 3], 60_000);
    const said = bgp.numbers.flatMap((number) => bgp.world.agent(number).lines);
    assert.deepEqual(
      said.filter(({ text }) => text.includes('hunter2')),
      [],
    );
  });
});
