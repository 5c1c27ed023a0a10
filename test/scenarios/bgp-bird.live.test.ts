import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { missingBinaries } from '../../lab/control-plane/binaries.ts';
import { eventually } from '../../lab/eventually.ts';
import { isolate } from '../../lab/faults/cut.ts';
import { missing } from '../../lab/missing.ts';
import { run } from '../../lab/process/run.ts';
import { BgpWorld } from './bgp-world.ts';

const skip = missing('ip', 'bird') || missingBinaries('gobgpd');
const patience = { withinMs: 30_000, everyMs: 50 };
const remote = { group: 'public', type: 'remote' } as const;

/** A default route, our own address, the API server's side, and very many. */
const hostile = [
  '0.0.0.0/0',
  '::/0',
  '203.0.113.140/32',
  '192.0.2.12/32',
  ...Array.from({ length: 10_000 }, (_, index) => `198.18.${100 + (index >> 8)}.${index & 255}/32`),
];

describe('BGP with BIRD', { skip }, () => {
  let bgp: BgpWorld;
  before(async () => {
    const routerOptions = { bfdMs: 100, holdTime: 90, sends: hostile };
    bgp = await BgpWorld.open({ router: 'bird', routerOptions });
  });
  after(async () => bgp[Symbol.asyncDispose]());

  const routesOf = async (number: number, ...args: readonly string[]) => {
    const { namespace } = bgp.world.lab.node(number);
    const lines: string[] = [];
    for (const family of ['-4', '-6']) {
      const { stdout } = await run(['ip', '-n', namespace, family, 'route', 'show', ...args]);
      lines.push(...stdout.split('\n').filter((line) => line !== ''));
    }
    return lines;
  };
  const ordinary = { table: 'main' } as const;
  const before186 = async (number: number) =>
    (await routesOf(number, 'table', ordinary.table)).filter((line) => !/kube-lb0/.test(line));

  /** Sessions over IPv6, which carry IPv4 routes too (RFC 8950), with BFD. */
  const overIpv6 = () => {
    const bfd = { desiredMinimumTxInterval: 100_000, requiredMinimumReceive: 100_000 };
    const config = { peerAsn: 64_501, neighborAddress: bgp.router.host.ipv6 };
    const timers = { config: { connectRetry: 1, holdTime: 90 } };
    return { neighbors: [{ config, timers, bfd }] };
  };

  test('the router spreads addresses over all nodes, learnt over IPv6 sessions', async () => {
    await bgp.world.service('web', { ...remote, ips: ['203.0.113.130', '2001:db8:aa::7'] });
    await bgp.world.service('attacked', { ...remote, ips: ['203.0.113.140'] });
    await bgp.configure(overIpv6());
    await bgp.leadsTo('2001:db8:aa::7', [1, 2, 3]);
    const ipv6 = bgp.numbers.map((number) => bgp.world.lab.node(number).ipv6).sort();
    await eventually(async () => assert.deepEqual(await bgp.ways('203.0.113.130'), ipv6), patience);
  });

  test('nothing that a hostile router sends harms a node', async () => {
    await eventually(async () => {
      const [peer] = (await bgp.nodeStatus(1)).neighbors ?? [];
      assert.deepEqual([peer?.state, peer?.prefixesReceived], ['Established', hostile.length]);
    }, patience);
    assert.equal((await routesOf(1, 'proto', 'bgp')).length, 0);
    assert.equal((await bgp.nodeStatus(1)).rib?.receivedRouteCount, 0);
    await bgp.leadsTo('2001:db8:aa::7', [1, 2, 3]);
  });

  test('learnt routes go to the kernel by rules, except those that would harm it', async () => {
    const untouched = await before186(1);
    const rules = [{ name: 'all', metric: 30 }];
    await bgp.reconfigure({ ...overIpv6(), netlinkExport: { enabled: true, rules } });
    await eventually(async () => {
      const found = await routesOf(1, 'proto', 'bgp');
      // Of 10,000 that are looked at, some are refused for what they are.
      assert.ok(found.length >= 9_990 && found.length <= 10_000, `${found.length}`);
      assert.ok(found.every((line) => /^198\.18\.1\d\d\..* metric 30/.test(line)));
    }, patience);
    const others = (await before186(1)).filter((line) => !/proto bgp/.test(line));
    assert.deepEqual(others, untouched);
    await bgp.reconfigure(overIpv6());
    // Not the lists: to describe how ten thousand lines differ from none takes a minute.
    await eventually(async () => {
      assert.equal((await routesOf(1, 'proto', 'bgp')).length, 0);
    }, patience);
  });

  test('BFD finds a node that is cut off long before the hold time', async () => {
    const startedAt = performance.now();
    const fault = await isolate(bgp.world.lab.node(3));
    await bgp.leadsTo('2001:db8:aa::7', [1, 2]);
    assert.ok(performance.now() - startedAt < 45_000, 'the hold time is 90 s');
    await fault.heal();
    await bgp.leadsTo('2001:db8:aa::7', [1, 2, 3], 60_000);
  });

  test('an agent that leaves for good withdraws before its addresses go', async () => {
    await bgp.world.agent(2).stop();
    await bgp.startAgent(2, ['--daemonset', 'lbnodeagent']);
    await bgp.leadsTo('2001:db8:aa::7', [1, 2, 3]);
    const stopping = bgp.world.agent(2).stop(20_000);
    await bgp.leadsTo('2001:db8:aa::7', [1, 3]);
    await stopping;
    assert.equal((await bgp.world.places('2001:db8:aa::7')).length, 2);
    const said = bgp.world.agent(2).lines.map(({ text }) => text);
    const at = (pattern: RegExp) => said.findIndex((text) => pattern.test(text));
    assert.ok(at(/"Left BGP"/) < at(/"Left addresses"/));
    assert.ok(at(/"Left BGP"/) >= 0);
  });
});
