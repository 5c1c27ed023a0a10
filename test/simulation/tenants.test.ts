/** What someone who may edit one Service forges in its annotations, drawn at random: nothing of it is felt by others. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Ip, ipOf } from '../../src/model/ip.ts';
import { Chance } from './chance.ts';
import { Simulation } from './simulation.ts';
import { TwoHolders } from './two-holders.ts';

const vips = [ipOf('192.0.2.100'), ipOf('2001:db8:1::100')];
const own = [ipOf('192.0.2.101'), ipOf('2001:db8:1::101')];
const nodes = ['node1', 'node2', 'node3', 'node4', 'nobody'];

/** On the tenant's own Service; other people's addresses are named in it. */
function forge(simulation: Simulation, chance: Chance): void {
  const ips: readonly Ip[] = [...vips, ...own];
  const slot = () => `${chance.pick(nodes)},eth0,${chance.pick(ips)}`;
  const time = new Date(simulation.clock.now()).toISOString().replace(/\.\d+/, '');
  const annotations = chance.pick<Readonly<Record<string, string>>>([
    { 'purelb.io/announcing-IPv4': `${slot()} ${slot()}`, 'purelb.io/announcing-IPv6': slot() },
    { 'purelb.io/conflict': `${chance.pick(ips)},02:00:00:00:00:66,node1,${time}` },
    { 'purelb.io/allocated-prefixes': ips.map((ip) => `${ip}/2`).join() },
    { 'purelb.io/pool-type': 'remote', 'purelb.io/allocated-from': chance.pick(['', 'other']) },
    { 'purelb.io/added-to': `${chance.pick(nodes)}/eth0`, 'purelb.io/skip-ipv6-dad': 'true' },
  ]);
  simulation.send('PATCH', '/api/v1/namespaces/shop/services/evil', { metadata: { annotations } });
}

async function forgeFor(simulation: Simulation, chance: Chance, ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 100) {
    forge(simulation, chance);
    await simulation.clock.advance(100);
  }
}

for (const seed of [1, 2, 3]) {
  test(`seed ${seed}: forged annotations move nothing of others, nor keep a failover from happening`, async () => {
    const simulation = new Simulation({ seed, nodes: 4 });
    await simulation.start();
    simulation.serve('web', ...vips);
    simulation.serve('evil', ...own);
    await simulation.clock.advance(6_000);
    const chance = new Chance(seed);
    const two = new TwoHolders(simulation, vips);
    const before = vips.map((ip) => simulation.holder(ip));
    await forgeFor(simulation, chance, 20_000);
    for (const [index, ip] of vips.entries()) {
      assert.equal(simulation.holder(ip), before[index], `${ip} has moved`);
      assert.equal(two.longestMs(ip), 0);
    }
    before[0]?.powerOff();
    await forgeFor(simulation, chance, 8_000);
    for (const ip of vips) {
      assert.equal(two.reachable(ip).length, 1, `${ip} has one owner`);
      assert.notEqual(simulation.holder(ip), before[0]);
    }
  });
}
