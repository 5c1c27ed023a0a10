import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { endpointSlice } from '../../lab/control-plane/objects.ts';
import { eventually } from '../../lab/eventually.ts';
import { missing } from '../../lab/missing.ts';
import type { Host } from '../../lab/network/host.ts';
import { mergePatch } from '../../src/kube/patch.ts';
import { lbNodeAgents } from '../../src/kube/resources.ts';
import { AgentWorld, installNamespace, usualGroups } from './agent-world.ts';
import { addIdleLink, addressesOn, ipBatch } from './host-kernel.ts';

const skip = missing('ip', 'setpriv');
const numbers = [200, 201, 202, 203];
const ipsOf = (number: number) => [`203.0.113.${number}`, `2001:db8:aa::${number}`];
const { v4pools, v6pools } = usualGroups.public.remote;

/** Pools whose addresses stand for their whole prefix. */
const wideGroups = {
  public: {
    remote: {
      v4pools: v4pools.map((pool) => ({ ...pool, aggregation: '/25' })),
      v6pools: v6pools.map((pool) => ({ ...pool, aggregation: '/64' })),
    },
  },
};

async function addServices(world: AgentWorld, ...which: readonly number[]): Promise<void> {
  for (const number of which) {
    await world.service(`s${number}`, { ips: ipsOf(number), group: 'public', type: 'remote' });
  }
}

/** Endpoints of a Service: `ready 1` is a ready one on node1. */
async function setEndpoints(world: AgentWorld, service: string, ...texts: readonly string[]) {
  for (const network of ['198.18.0.1', '2001:db8:10::1']) {
    const endpoints = texts.map((text, index) => {
      const [state, number] = text.split(' ') as ['ready' | 'unready' | 'terminating', string];
      return { ip: `${network}${index}`, node: `node${number}`, state };
    });
    const ports = [{ port: 80 }];
    await world.endpoints(endpointSlice({ service, namespace: 'shop', ports, endpoints }));
  }
}

/** Exactly the addresses with these numbers are on the link. */
async function hasExactly(host: Host, which: readonly number[], link = 'kube-lb0') {
  const expected = which.flatMap(ipsOf).sort();
  await eventually(
    async () => {
      const found = await addressesOn(host, link);
      assert.deepEqual(found.map(({ local }) => local).sort(), expected);
    },
    { withinMs: 10_000 },
  );
}

const aggregates = ['203.0.113.128/25', '2001:db8:aa::/64'];

/** The routes that stand for all of an aggregate's addresses. */
async function aggregatesOn(host: Host): Promise<readonly string[]> {
  const { stdout } = await host.run(['ip', 'route', 'show', 'dev', 'kube-lb0']);
  const { stdout: more } = await host.run(['ip', '-6', 'route', 'show', 'dev', 'kube-lb0']);
  return aggregates.filter((prefix) => `${stdout}${more}`.includes(`${prefix} `));
}

async function kindOf(host: Host, link: string): Promise<string | undefined> {
  const { stdout } = await host.run(['ip', '-json', '-details', 'link', 'show', 'dev', link]);
  const [found] = JSON.parse(stdout) as { linkinfo?: { info_kind: string } }[];
  return found?.linkinfo?.info_kind;
}

async function linkNames(host: Host): Promise<readonly string[]> {
  return (await host.links()).map(({ name }) => name).sort();
}

async function configure(world: AgentWorld, local: object): Promise<void> {
  const ref = { namespace: installNamespace, name: 'default' };
  await world.cluster.patch(lbNodeAgents, ref, mergePatch({ spec: { local } }));
}

for (const promote of [0, 1]) {
  test(`addresses of one aggregate come and go in any order without each other, with promote_secondaries=${promote}`, {
    skip,
  }, async () => {
    await using world = await AgentWorld.open({ nodes: 1, groups: wideGroups, agents: [] });
    const host = world.lab.node(1);
    await host.sysctl('net/ipv4/conf/all/promote_secondaries', promote);
    await world.startAgent(1);
    const orders = [
      [200, 201, 202, 203],
      [203, 202, 201, 200],
      [201, 203, 200, 202],
    ];
    for (const order of orders) {
      await addServices(world, ...numbers);
      await hasExactly(host, numbers);
      const left = [...numbers];
      for (const number of order) {
        await world.remove(`s${number}`);
        left.splice(left.indexOf(number), 1);
        await hasExactly(host, left);
        assert.deepEqual(await aggregatesOn(host), left.length === 0 ? [] : aggregates);
      }
    }
    // Each was added once: none had to be brought back.
    const added = orders.length * numbers.length * 2;
    const line = new RegExp(`^purelb_lbnodeagent_address_additions_total ${added}$`, 'm');
    assert.match(await world.read(1, '/metrics'), line);
  });
}

test('the virtual link is there again with all its addresses, whatever is done to it', {
  skip,
}, async () => {
  await using world = await AgentWorld.open({ nodes: 1 });
  const host = world.lab.node(1);
  await addServices(world, ...numbers);
  await hasExactly(host, numbers);
  const isUsual = async () => {
    await eventually(
      async () => {
        const { stdout } = await host.run(['ip', 'link', 'show', 'dev', 'kube-lb0']);
        assert.match(stdout, /[<,]UP[,>]/);
      },
      { withinMs: 10_000 },
    );
    await hasExactly(host, numbers);
  };
  const dummy = await host.attempt(['ip', 'link', 'add', 'probe0', 'type', 'dummy']);
  assert.equal(await kindOf(host, 'kube-lb0'), dummy.status === 0 ? 'dummy' : 'ifb');
  await ipBatch(host, 'link del kube-lb0');
  await isUsual();
  await ipBatch(host, 'link set kube-lb0 down');
  await isUsual();
  await ipBatch(host, 'address flush dev kube-lb0');
  await isUsual();
  await ipBatch(
    host,
    'link set kube-lb0 down',
    'link set kube-lb0 name other0',
    'link set other0 up',
  );
  await isUsual();
  assert.equal((await addressesOn(host, 'other0')).length, 0);
  // Kept across restarts, with what is on it.
  const index = async () => (await host.run(['cat', '/sys/class/net/kube-lb0/ifindex'])).stdout;
  const before = await index();
  await world.agent(1).stop();
  await hasExactly(host, numbers);
  await world.startAgent(1);
  await sleep(1000);
  await hasExactly(host, numbers);
  assert.equal(await index(), before);
});

test('a link of another kind under that name is left alone, and people are told', {
  skip,
}, async () => {
  await using world = await AgentWorld.open({ nodes: 1, agents: [] });
  const host = world.lab.node(1);
  await ipBatch(
    host,
    'link add kube-lb0 type veth peer name peer0',
    'link set kube-lb0 up',
    'address add 198.51.100.77/32 dev kube-lb0',
  );
  await world.startAgent(1);
  await world.members(1);
  await world.service('web', { ips: ['192.0.2.100', '2001:db8:1::100'] });
  await addServices(world, 200);
  for (const ip of ['192.0.2.100', '2001:db8:1::100']) await world.onePlace(ip);
  const words = 'link kube-lb0 exists and is of kind veth, but must be one of dummy, ifb, bridge';
  await eventually(
    async () => {
      const told = (await world.eventsOf('s200')).join('\n');
      for (const ip of ipsOf(200)) {
        const event = `AnnouncementFailed: Node node1 could not announce ${ip} on interface kube-lb0: ${words}`;
        assert.ok(told.includes(event), told);
      }
      const onConfig = (await world.eventsOf('default')).join('\n');
      assert.ok(onConfig.includes('ConfigError: node node1 announces no remote'), onConfig);
    },
    { withinMs: 10_000 },
  );
  const found = await addressesOn(host, 'kube-lb0');
  assert.deepEqual(
    found.map(({ local }) => local),
    ['198.51.100.77'],
  );
  // Once it is out of the way all is well.
  await ipBatch(host, 'link del kube-lb0');
  await hasExactly(host, [200]);
});

test('the link moves cleanly to another name, also while the agent is away', { skip }, async () => {
  await using world = await AgentWorld.open({ nodes: 1 });
  const host = world.lab.node(1);
  await addServices(world, ...numbers);
  await hasExactly(host, numbers);
  await configure(world, { dummyInterface: 'lb1' });
  await hasExactly(host, numbers, 'lb1');
  await eventually(async () => assert.deepEqual(await linkNames(host), ['eth0', 'lb1']), {
    withinMs: 10_000,
  });
  await world.agent(1).stop();
  await configure(world, { dummyInterface: 'lb2' });
  await hasExactly(host, numbers, 'lb1');
  await world.startAgent(1);
  await hasExactly(host, numbers, 'lb2');
  await eventually(async () => assert.deepEqual(await linkNames(host), ['eth0', 'lb2']), {
    withinMs: 10_000,
  });
  // A link that others use as well stays, without ours.
  await addIdleLink(host, 'lb3');
  await ipBatch(host, 'address add 198.51.100.77/32 dev lb2');
  await configure(world, { dummyInterface: 'lb3' });
  await hasExactly(host, numbers, 'lb3');
  await eventually(
    async () => {
      const left = await addressesOn(host, 'lb2');
      assert.deepEqual(
        left.map(({ local }) => local),
        ['198.51.100.77'],
      );
    },
    { withinMs: 10_000 },
  );
});

test('addresses with externalTrafficPolicy Local follow the endpoints of their own Service', {
  skip,
}, async () => {
  await using world = await AgentWorld.open({ nodes: 2, groups: wideGroups });
  const [one, two] = [world.lab.node(1), world.lab.node(2)];
  const spec = { externalTrafficPolicy: 'Local' };
  const wish = (number: number) => ({ ips: ipsOf(number), group: 'public', spec });
  await setEndpoints(world, 's200', 'ready 1');
  await setEndpoints(world, 's201', 'ready 2');
  for (const number of [200, 201]) {
    await world.service(`s${number}`, { ...wish(number), type: 'remote' });
  }
  await hasExactly(one, [200]);
  await hasExactly(two, [201]);
  await setEndpoints(world, 's200', 'ready 1', 'ready 2');
  await hasExactly(two, [200, 201]);
  await hasExactly(one, [200]);
  // One that ends serves on as long as there is no other here; one that is not ready does not.
  await setEndpoints(world, 's200', 'terminating 1', 'unready 2');
  await hasExactly(two, [201]);
  await hasExactly(one, [200]);
  await setEndpoints(world, 's200', 'ready 2');
  await hasExactly(one, []);
  await hasExactly(two, [200, 201]);
});

test('a node without IPv6 announces the IPv4 address of a Service with both, and says why not the other', {
  skip,
}, async () => {
  await using world = await AgentWorld.open({ nodes: 1, agents: [] });
  const host = world.lab.node(1);
  for (const link of ['all', 'default']) {
    await host.sysctl(`net/ipv6/conf/${link}/disable_ipv6`, 1);
  }
  await world.startAgent(1);
  await addServices(world, 200);
  await world.service('web', { ips: ['192.0.2.100', '2001:db8:1::100'] });
  await eventually(
    async () => {
      assert.deepEqual(await world.places('203.0.113.200'), ['node1 kube-lb0/32']);
      assert.deepEqual(await world.places('192.0.2.100'), ['node1 eth0/24']);
      const told = (await world.eventsOf('s200')).join('\n');
      assert.match(told, /AnnouncementFailed: Node node1 could not announce 2001:db8:aa::200 /);
    },
    { withinMs: 10_000 },
  );
});
