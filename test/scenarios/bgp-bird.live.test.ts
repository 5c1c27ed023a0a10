import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { missingBinaries } from '../../lab/control-plane/binaries.ts';
import { eventually } from '../../lab/eventually.ts';
import { missing } from '../../lab/missing.ts';
import { run } from '../../lab/process/run.ts';
import { bgpTroubles, web } from './bgp-troubles.contract.ts';
import { BgpWorld } from './bgp-world.ts';

const skip = missing('ip', 'bird') || missingBinaries('gobgpd');
const patience = { withinMs: 30_000, everyMs: 50 };
const remote = { group: 'public', type: 'remote' } as const;

describe('BGP with BIRD', { skip }, () => {
  let bgp: BgpWorld;
  before(async () => {
    const routerOptions = { bfdMs: 100, holdTime: 90 };
    bgp = await BgpWorld.open({ router: 'bird', sessions: 'ipv6', routerOptions });
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

  test('the router spreads addresses over all nodes, learnt over IPv6 sessions', async () => {
    await bgp.world.service('web', { ...remote, ips: web });
    await bgp.configure();
    for (const ip of web) await bgp.leadsTo(ip, [1, 2, 3]);
  });

  bgpTroubles(() => bgp);

  test('learnt routes go to the kernel by rules, except those that would harm it', async () => {
    const untouched = await before186(1);
    const rules = [{ name: 'all', metric: 30 }];
    await bgp.reconfigure({ netlinkExport: { enabled: true, rules } });
    await eventually(async () => {
      const found = await routesOf(1, 'proto', 'bgp');
      // Of 10,000 that are looked at, some are refused for what they are.
      assert.ok(found.length >= 9_990 && found.length <= 10_000, `${found.length}`);
      assert.ok(found.every((line) => /^198\.18\.1\d\d\..* metric 30/.test(line)));
    }, patience);
    const others = (await before186(1)).filter((line) => !/proto bgp/.test(line));
    assert.deepEqual(others, untouched);
    await bgp.reconfigure({});
    // Not the lists: to describe how ten thousand lines differ from none takes a minute.
    await eventually(async () => {
      assert.equal((await routesOf(1, 'proto', 'bgp')).length, 0);
    }, patience);
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
