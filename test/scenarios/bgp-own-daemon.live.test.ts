import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { eventually } from '../../lab/eventually.ts';
import { missing } from '../../lab/missing.ts';
import { Bird } from '../../lab/router/bird.ts';
import { BirdOnNode } from '../../lab/router/bird-on-node.ts';
import { type Router, waysTo } from '../../lab/router/router.ts';
import { AgentWorld } from './agent-world.ts';

const skip = missing('ip', 'bird', 'birdc');
const patience = { withinMs: 30_000, everyMs: 50 };

describe('a routing daemon of one’s own on kube-lb0, without BGP of ours', { skip }, () => {
  let world: AgentWorld;
  let router: Router;
  const daemons: BirdOnNode[] = [];
  before(async () => {
    // Neither the kinds of BGP nor the rights for them are installed.
    world = await AgentWorld.open({ nodes: 2 });
    const nodes = ['192.0.2.0/24', '2001:db8:1::/64'];
    router = await Bird.start({ host: world.lab.router, nodes });
    for (const node of world.lab.nodes) {
      daemons.push(await BirdOnNode.start(node, world.lab.router));
    }
  });
  after(async () => {
    for (const daemon of daemons) await daemon[Symbol.asyncDispose]();
    await router[Symbol.asyncDispose]();
    await world[Symbol.asyncDispose]();
  });

  const leadsTo = (ip: string, numbers: readonly number[]) =>
    eventually(async () => {
      const family = ip.includes(':') ? 'ipv6' : 'ipv4';
      const wanted = numbers.map((number) => world.lab.node(number).address(family)).sort();
      assert.deepEqual(await waysTo(world.lab.router, ip), wanted, ip);
    }, patience);

  test('the router learns addresses of either family from all nodes, and forgets them', async () => {
    const ips = ['203.0.113.130', '2001:db8:aa::7'];
    await world.service('web', { group: 'public', type: 'remote', ips });
    for (const ip of ips) await leadsTo(ip, [1, 2]);
    await world.remove('web');
    for (const ip of ips) await leadsTo(ip, []);
  });

  test('agents without gobgpd say nothing of BGP', () => {
    const said = [1, 2].flatMap((number) => world.agent(number).lines.map(({ text }) => text));
    assert.deepEqual(
      said.filter((text) => /bgp/i.test(text)),
      [],
    );
  });
});
