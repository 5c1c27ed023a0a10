/** What goes wrong between nodes and a router of either kind, and what becomes of it. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '../../lab/eventually.ts';
import { isolate } from '../../lab/faults/cut.ts';
import { run } from '../../lab/process/run.ts';
import { mergePatch } from '../../src/kube/patch.ts';
import { secrets } from '../../src/kube/resources.ts';
import { installNamespace } from './agent-world.ts';
import type { BgpWorld } from './bgp-world.ts';

const patience = { withinMs: 60_000, everyMs: 50 };
export const web = ['203.0.113.130', '2001:db8:aa::7'];

const authPasswordSecretRef = { name: 'bgp', key: 'md5' };

/** A default route, our own address, one of a node's, and very many. */
const hostile = [
  '0.0.0.0/0',
  '::/0',
  '203.0.113.140/32',
  '192.0.2.12/32',
  ...Array.from({ length: 10_000 }, (_, index) => `198.18.${100 + (index >> 8)}.${index & 255}/32`),
];

/** On three nodes, with a router that knows them by their networks, does BFD and has a hold time of 90 s. */
export function bgpTroubles(world: () => BgpWorld): void {
  const leadsTo = async (numbers: readonly number[]) => {
    for (const ip of web) await world().leadsTo(ip, numbers, patience.withinMs);
  };
  const isTold = (pattern: RegExp) =>
    eventually(async () => {
      const { healthy, conditions } = await world().nodeStatus(1);
      assert.equal(healthy, false);
      assert.match(conditions?.[0]?.message ?? '', pattern);
    }, patience);

  test('a wrong AS number is told, and put right without help', async () => {
    const bgp = world();
    await bgp.reconfigure({ neighbors: [bgp.neighbor({ peerAsn: 64_999 })] });
    await leadsTo([]);
    await isTold(new RegExp(`no session with ${bgp.routerAddress}`));
    await bgp.reconfigure({});
    await leadsTo([1, 2, 3]);
  });

  test('a router that starts anew and wants a password learns everything once all is right', async () => {
    const bgp = world();
    const { cluster } = bgp.world;
    const ref = { namespace: installNamespace, name: 'bgp' };
    const data = (text: string) => ({ md5: Buffer.from(text).toString('base64') });
    await bgp.router.restart({ password: 'hunter2' });
    await isRefused(bgp, 'TCPMD5NotFound');
    await leadsTo([]);
    await bgp.reconfigure({ neighbors: [bgp.neighbor({ authPasswordSecretRef })] });
    await isTold(/there is no Secret bgp/);
    await cluster.create(secrets, { metadata: ref, data: data('wrong') });
    await isRefused(bgp, 'TCPMD5Failure');
    await isTold(new RegExp(`no session with ${bgp.routerAddress}`));
    assert.deepEqual(await bgp.ways('203.0.113.130'), []);
    await cluster.patch(secrets, ref, mergePatch({ data: data('hunter2') }));
    await leadsTo([1, 2, 3]);
    const said = bgp.numbers.flatMap((number) => bgp.world.agent(number).lines);
    assert.equal(said.filter(({ text }) => text.includes('hunter2')).length, 0);
  });

  test('a node that is cut off takes only its own share with it, after the hold time', async () => {
    const bgp = world();
    await leadsTo([1, 2, 3]);
    await cutOff(bgp, 3, () => leadsTo([1, 2]));
  });

  test('it comes back, BFD finds the next cut long before the hold time, and begins anew', async () => {
    const bgp = world();
    const bfd = { desiredMinimumTxInterval: 100_000, requiredMinimumReceive: 100_000 };
    const timers = { config: { connectRetry: 1, holdTime: 90, keepaliveInterval: 30 } };
    const isWatched = () =>
      eventually(async () => {
        for (const number of bgp.numbers) {
          assert.equal((await bgp.session(number)).bfd?.state, 'Up', `node${number}`);
        }
      }, patience);
    await bgp.reconfigure({
      neighbors: [bgp.neighbor({ authPasswordSecretRef }, { timers, bfd })],
    });
    await isWatched();
    await leadsTo([1, 2, 3]);
    const startedAt = performance.now();
    await cutOff(bgp, 3, () => leadsTo([1, 2]));
    assert.ok(performance.now() - startedAt < 45_000, 'the hold time is 90 s');
    await leadsTo([1, 2, 3]);
    await isWatched();
  });

  test('nothing that a hostile router sends harms a node', async () => {
    const bgp = world();
    await bgp.world.service('attacked', {
      group: 'public',
      type: 'remote',
      ips: ['203.0.113.140'],
    });
    const attacked = () => bgp.world.places('203.0.113.140');
    await eventually(async () => assert.equal((await attacked()).length, 3), patience);
    const untouched = await Promise.all(bgp.numbers.map((number) => mainRoutes(bgp, number)));
    await bgp.reconfigure({});
    await bgp.router.restart({ password: undefined, sends: hostile });
    for (const number of bgp.numbers) {
      await eventually(async () => {
        const { neighbors: [peer] = [], rib } = await bgp.nodeStatus(number);
        assert.equal(peer?.state, 'Established');
        assert.ok((peer?.prefixesReceived ?? 0) >= hostile.length, `${peer?.prefixesReceived}`);
        assert.equal(rib?.receivedRouteCount, 0);
      }, patience);
    }
    await leadsTo([1, 2, 3]);
    const found = await Promise.all(bgp.numbers.map((number) => mainRoutes(bgp, number)));
    assert.deepEqual(found, untouched);
    assert.equal((await attacked()).length, 3);
  });
}

/** The router's kernel has turned packets away for this reason (linux/snmp.h). */
async function isRefused({ router }: BgpWorld, reason: string): Promise<void> {
  const count = async () => {
    const { stdout } = await router.host.run(['cat', '/proc/net/netstat']);
    const [names = [], values = []] = stdout.split('\n').map((line) => line.split(' '));
    return Number(values[names.indexOf(reason)]);
  };
  const before = await count();
  await eventually(async () => assert.ok((await count()) > before, reason), patience);
}

/** All but those of addresses of Services, which tell how long they live. */
async function mainRoutes({ world }: BgpWorld, number: number): Promise<readonly string[]> {
  const { namespace } = world.lab.node(number);
  const both = await Promise.all(
    ['-4', '-6'].map((family) => run(['ip', '-n', namespace, family, 'route', 'show'])),
  );
  return both
    .flatMap(({ stdout }) => stdout.split('\n'))
    .filter((line) => line !== '' && !line.includes('kube-lb0'));
}

/** Until what is expected has come. */
async function cutOff(
  { world }: BgpWorld,
  number: number,
  expected: () => Promise<void>,
): Promise<void> {
  const fault = await isolate(world.lab.node(number));
  try {
    await expected();
  } finally {
    await fault.heal();
  }
}
