import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { endpointSlice } from '../../lab/control-plane/objects.ts';
import { eventually } from '../../lab/eventually.ts';
import { missing } from '../../lab/missing.ts';
import { ping } from '../../lab/traffic/ping.ts';
import { mergePatch } from '../../src/kube/patch.ts';
import { lbNodeAgents, nodes } from '../../src/kube/resources.ts';
import { AgentWorld, installNamespace } from './agent-world.ts';
import { conflictReports, startBesideTaken } from './taken-addresses.ts';

const skip = missing('ip', 'ping', 'setpriv');
const nodeIn = (place: string) => Number(/^node(\d+)/.exec(place)?.[1]);
const vips = ['192.0.2.100', '2001:db8:1::100'];

test('an address that a host outside the cluster has is not added, and a conflict is told', {
  skip,
}, async () => {
  await using world = await AgentWorld.open({ agents: [] });
  await startBesideTaken(world);
  await world.service('web', { ips: vips });
  await eventually(
    async () => {
      const events = await world.eventsOf('web');
      for (const ip of vips) {
        assert.ok(events.some((text) => text.startsWith('AddressConflict') && text.includes(ip)));
      }
      const told = await conflictReports(world);
      for (const ip of vips) assert.match(told, new RegExp(`${ip},02:00:00:01:00:91,`));
      assert.equal((await world.annotations('web'))['purelb.io/conflict'], undefined);
    },
    { withinMs: 3000 },
  );
  await sleep(1000);
  for (const ip of vips) assert.deepEqual(await world.places(ip), []);
});

test('with auto an address is local where its subnet is and virtual elsewhere, and nodes reach each other', {
  skip,
}, async () => {
  const groups = {
    default: {
      announce: 'auto',
      local: {
        v4pools: [
          { subnet: '192.0.2.0/24', pool: '192.0.2.100-192.0.2.199', aggregation: 'default' },
        ],
        v6pools: [
          {
            subnet: '2001:db8:1::/64',
            pool: '2001:db8:1::100-2001:db8:1::1ff',
            aggregation: 'default',
          },
        ],
      },
    },
  };
  await using world = await AgentWorld.open({ nodes: [2, 2], groups });
  await world.members(4);
  await world.service('web', { ips: vips });
  for (const ip of vips) {
    const host = ip.includes(':') ? 128 : 32;
    await eventually(
      async () => {
        const places = await world.places(ip);
        const local = places.filter((place) => place.includes('eth0'));
        assert.equal(local.length, 1);
        assert.ok([1, 2].includes(nodeIn(local[0] ?? '')));
        const far = places.filter((place) => place.includes('kube-lb0'));
        assert.deepEqual(far, [`node3 kube-lb0/${host}`, `node4 kube-lb0/${host}`]);
      },
      { withinMs: 5000 },
    );
  }
  for (const family of ['ipv4', 'ipv6'] as const) {
    const reached = await ping(world.lab.node(3), world.lab.node(1).address(family));
    assert.notEqual(reached, undefined);
  }
});

test('a remote address with externalTrafficPolicy Local is where its endpoints are', {
  skip,
}, async () => {
  await using world = await AgentWorld.open();
  const ips = ['203.0.113.201', '2001:db8:aa::201'];
  /** Of both families: each address follows the endpoints of its own. */
  const serveOn = async (...numbers: readonly number[]) => {
    for (const prefix of ['192.0.2.2', '2001:db8:1::2']) {
      const endpoints = numbers.map((number) => ({
        ip: `${prefix}${number}`,
        node: `node${number}`,
      }));
      const slice = { service: 'far', namespace: 'shop', ports: [{ port: 80 }], endpoints };
      await world.endpoints(endpointSlice(slice));
    }
  };
  await serveOn(2);
  const spec = { externalTrafficPolicy: 'Local' };
  await world.service('far', { ips, group: 'public', type: 'remote', spec });
  const isOn = async (...numbers: readonly number[]) => {
    for (const ip of ips) {
      await eventually(
        async () => assert.deepEqual((await world.places(ip)).map(nodeIn), [...numbers]),
        { withinMs: 3000 },
      );
    }
  };
  await isOn(2);
  await serveOn(1, 3);
  await isOn(1, 3);
});

test('a configuration with an error silences the nodes it selects, and says so', {
  skip,
}, async () => {
  await using world = await AgentWorld.open();
  await world.members(3);
  const ips = Array.from({ length: 12 }, (_, index) => `192.0.2.${110 + index}`);
  for (const ip of ips) await world.service(`s-${ip.replaceAll('.', '-')}`, { ips: [ip] });
  for (const ip of ips) await world.onePlace(ip);
  const patch = mergePatch({ metadata: { labels: { rack: 'a' } } });
  await world.cluster.patch(nodes, { name: 'node1' }, patch);
  await world.cluster.create(lbNodeAgents, {
    metadata: { name: 'broken', namespace: installNamespace },
    spec: {
      nodeSelector: { matchLabels: { rack: 'a' } },
      local: { localInterface: 'eth0' },
    },
  });
  const broken = mergePatch({ spec: { local: { localInterface: '(' } } });
  const ref = { namespace: installNamespace, name: 'broken' };
  await world.cluster.patch(lbNodeAgents, ref, broken);
  for (const ip of ips) {
    await eventually(
      async () => {
        const places = await world.places(ip);
        assert.equal(places.length, 1);
        assert.notEqual(nodeIn(places[0] ?? ''), 1);
      },
      { withinMs: 5000 },
    );
  }
  await eventually(
    async () => {
      const events = await world.eventsOf('broken');
      assert.ok(events.some((text) => /^ConfigError: .*node1 is announcing nothing/.test(text)));
    },
    { withinMs: 3000 },
  );
});

test('an agent shows what it wants, holds and decided, its health and its metrics', {
  skip,
}, async () => {
  await using world = await AgentWorld.open({ nodes: 1 });
  await world.members(1);
  await world.service('web', { ips: vips });
  for (const ip of vips) await world.onePlace(ip);
  const state = JSON.parse(await world.state(1));
  assert.deepEqual(state.wanted, ['192.0.2.100/24@eth0', '2001:db8:1::100/64@eth0']);
  assert.deepEqual(
    state.held.map(({ address }: { address: string }) => address),
    state.wanted,
  );
  assert.deepEqual(
    state.addresses.map(({ ip, reason }: { ip: string; reason: string }) => [ip, reason]),
    vips.map((ip) => [ip, 'electionWon']),
  );
  assert.equal(await world.read(1, '/healthz'), 'ok\n');
  assert.equal(await world.read(1, '/readyz'), 'ok\n');
  const metrics = await world.read(1, '/metrics');
  for (const ip of vips) {
    assert.ok(
      metrics.includes(
        `purelb_lbnodeagent_announced{service="shop/web",node="node1",ip="${ip}"} 1`,
      ),
    );
  }
  assert.match(metrics, /^purelb_lbnodeagent_selector_state\{state="configured"\} 1$/m);
  assert.match(metrics, /^purelb_election_member_count 1$/m);
});
