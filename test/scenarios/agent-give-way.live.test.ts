/** A node whose kernel refuses addresses, as one does that lacks the capability for it. */

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { eventually } from '../../lab/eventually.ts';
import { missing } from '../../lab/missing.ts';
import { ping } from '../../lab/traffic/ping.ts';
import { rankNodes } from '../../src/decide/announcement/rank-nodes.ts';
import { leases } from '../../src/kube/resources.ts';
import { ipOf } from '../../src/model/ip.ts';
import { AgentWorld, installNamespace } from './agent-world.ts';

const skip = missing('ip', 'ping', 'setpriv');
const names = ['node1', 'node2', 'node3'];
const vips = ['192.0.2.100', '2001:db8:1::100'];
const numberOf = (node: string) => Number(node.slice('node'.length));

/** An agent that may ask the network, and may not change the kernel. */
async function startCrippled(world: AgentWorld, number: number): Promise<void> {
  const host = world.lab.node(number);
  const main = join(import.meta.dirname, '../../src/agent/main.ts');
  const kubeconfig = await world.agentKubeconfig(host.name);
  const told = ['--node-name', host.name, '--namespace', installNamespace, '--host', '127.0.0.1'];
  const without = ['setpriv', '--bounding-set', '-net_admin', '--inh-caps', '-net_admin'];
  const files = ['--kubeconfig', kubeconfig, '--state-socket', world.stateSocket(number)];
  const argv = [...without, process.execPath, main, ...told, ...files];
  const started = await host.start(argv, { ready: /"msg":"Started"/, readyWithinMs: 20_000 });
  world.agents.set(host.name, started);
}

async function failingOf(world: AgentWorld, node: string): Promise<string | undefined> {
  const ref = { namespace: installNamespace, name: `purelb-node-${node}` };
  return (await world.cluster.get(leases, ref)).metadata.annotations?.['purelb.io/failing'];
}

test('a winner that cannot add the address gives way, says so, and does not take it back', {
  skip,
}, async () => {
  await using world = await AgentWorld.open({ agents: [] });
  const [crippled = ''] = rankNodes(vips[0] ?? '', names);
  await Promise.all(
    names.map((name) =>
      name === crippled ? startCrippled(world, numberOf(name)) : world.startAgent(numberOf(name)),
    ),
  );
  await world.members(3);
  const tried = vips.filter((ip) => rankNodes(ip, names)[0] === crippled);
  await world.service('web', { ips: tried });
  for (const ip of tried) {
    const place = await world.onePlace(ip, 20_000);
    assert.equal(place.split(' ')[0], rankNodes(ip, names)[1]);
    assert.notEqual(await ping(world.client, ipOf(ip)), undefined);
  }
  await eventually(
    async () => {
      const events = await world.eventsOf('web');
      for (const ip of tried) {
        const said = `AnnouncementFailed: Node ${crippled} could not announce ${ip} on interface eth0`;
        const about = events.filter((text) => text.startsWith(said));
        assert.equal(about.length, 1, events.join('\n'));
      }
      // It is a candidate again, and the others know.
      assert.equal(await failingOf(world, crippled), '');
    },
    { withinMs: 20_000 },
  );
  // The agent comes back able to do it: what another holds stays there.
  const before = await Promise.all(tried.map((ip) => world.onePlace(ip)));
  await world.agent(numberOf(crippled)).stop();
  await world.startAgent(numberOf(crippled));
  await eventually(
    async () => assert.match(await world.read(numberOf(crippled), '/readyz'), /ok/),
    {
      withinMs: 20_000,
    },
  );
  assert.deepEqual(await Promise.all(tried.map((ip) => world.onePlace(ip))), before);
});

test('where nobody else can hold the address, the node goes on trying until it can', {
  skip,
}, async () => {
  await using world = await AgentWorld.open({ nodes: 1, agents: [] });
  await startCrippled(world, 1);
  await world.members(1);
  await world.service('web', { ips: vips });
  await eventually(
    async () => assert.equal(await failingOf(world, 'node1'), '192.0.2.100,2001:db8:1::100'),
    { withinMs: 20_000 },
  );
  const { setbacks } = JSON.parse(await world.state(1));
  assert.deepEqual(Object.keys(setbacks).sort(), vips.toSorted());
  await eventually(
    async () => {
      const { setbacks: later } = JSON.parse(await world.state(1));
      assert.ok(vips.every((ip) => later[ip].attempts >= 2));
    },
    { withinMs: 20_000 },
  );
  for (const ip of vips) assert.deepEqual(await world.places(ip), []);
});
