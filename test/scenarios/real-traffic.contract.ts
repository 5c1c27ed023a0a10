/** What clients get from Services on a real cluster, whichever way kube-proxy does its part. */

import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { missingBinaries } from '../../lab/control-plane/binaries.ts';
import { eventually } from '../../lab/eventually.ts';
import { powerOff } from '../../lab/faults/power.ts';
import { missing } from '../../lab/missing.ts';
import { ask } from '../../lab/traffic/ask.ts';
import { ping } from '../../lab/traffic/ping.ts';
import { startTcpClient } from '../../lab/traffic/tcp-client.ts';
import { startUdpClient } from '../../lab/traffic/udp-client.ts';
import { ipOf } from '../../src/model/ip.ts';
import { type ProxyMode, RealWorld } from './real-world.ts';
import {
  advertise,
  allAnswer,
  isNowhere,
  isOnVirtualLinks,
  nobodyAnswers,
  questionsTo,
  routeThrough,
  serve,
  setEndpoints,
} from './served.ts';

const local = ['192.0.2.100', '2001:db8:1::100'];
const remote = ['203.0.113.200', '2001:db8:aa::200'];
const nodeIn = (place: string) => Number(/^node(\d+)/.exec(place)?.[1]);

const commands = { nftables: 'nft', iptables: 'iptables' } as const;

export function trafficContract(mode: ProxyMode): void {
  const skip =
    missing('ip', 'ping', 'setpriv', commands[mode]) ||
    missingBinaries('etcd', 'kube-apiserver', 'kube-proxy');
  describe(`a real kube-apiserver, kube-proxy with ${mode}`, { skip }, () => scenarios(mode));
}

function scenarios(mode: ProxyMode): void {
  let world: RealWorld;
  before(async () => {
    world = await RealWorld.open({ mode });
  });
  afterEach(() => world?.clear());
  after(() => world?.[Symbol.asyncDispose]());

  test('a request to a local address comes back from a backend, wherever client and backend are', async () => {
    await serve(world, 'web', { ips: local, pods: [1, 2, 4] });
    for (const ip of local)
      assert.match(await world.agents.onePlace(ip), /^node[123] eth0\/(24|64)$/);
    for (const client of [world.clients.near, world.clients.far]) await allAnswer(client, local);
    const many = Array.from({ length: 10 }, () => questionsTo(local)).flat();
    const names = new Set(
      (await ask(world.clients.near, many)).map((answer) => answer.split(' ')[0]),
    );
    assert.deepEqual([...names].sort(), ['pod1', 'pod2', 'pod4']);
    await world.agents.remove('web');
    await isNowhere(world, local);
    for (const client of [world.clients.near, world.clients.far])
      await nobodyAnswers(client, local);
  });

  test('a request to a remote address comes back through whichever node the router chooses', async () => {
    await serve(world, 'far', { ips: remote, group: 'public', type: 'remote', pods: [1, 4] });
    await isOnVirtualLinks(world, remote, [1, 2, 3, 4]);
    for (const host of world.lab.nodes) {
      for (const ip of remote) await routeThrough(world, ipOf(ip), [host]);
      await allAnswer(world.clients.far, remote);
    }
    await advertise(world, remote);
    const many = Array.from({ length: 16 }, () => questionsTo(remote)).flat();
    const answers = await ask(world.clients.far, many);
    for (const answer of answers) assert.match(answer, /^pod[14] for /);
    // With Cluster the backend sees the node that passed the request on: the router used several.
    const through = new Set(answers.map((answer) => answer.split(' for ')[1]));
    assert.ok(through.size > 2, [...through].join());
    await world.agents.remove('far');
    await isOnVirtualLinks(world, remote, []);
    await nobodyAnswers(world.clients.far, remote);
  });

  test('with externalTrafficPolicy Local the backend sees who asks, and the address is where backends are', async () => {
    const [v4 = '', v6 = ''] = remote;
    const { far } = world.clients;
    const spec = { externalTrafficPolicy: 'Local' };
    await serve(world, 'far', { ips: remote, group: 'public', type: 'remote', spec, pods: [2] });
    await isOnVirtualLinks(world, remote, [2]);
    await advertise(world, remote);
    const seen = [far.ipv4, far.ipv6].flatMap((ip) => [`pod2 for ${ip}`, `pod2 for ${ip}`]);
    assert.deepEqual(await allAnswer(far, remote), seen);

    await setEndpoints(world, 'far', { family: 'ipv6', endpoints: [{ pod: 4 }, { pod: 3 }] });
    await isOnVirtualLinks(world, [v6], [3, 4]);
    await isOnVirtualLinks(world, [v4], [2]);

    const terminating = { ready: false, serving: true, terminating: true };
    const gone = { ready: false, serving: false, terminating: true };
    await setEndpoints(world, 'far', {
      family: 'ipv4',
      endpoints: [
        { pod: 1, conditions: {} },
        { pod: 2, conditions: { ready: false } },
        { pod: 3, conditions: gone },
        { pod: 4, conditions: terminating },
      ],
    });
    await isOnVirtualLinks(world, [v4], [1, 4]);
    await setEndpoints(world, 'far', {
      family: 'ipv4',
      endpoints: [{ pod: 4, conditions: terminating }],
    });
    await isOnVirtualLinks(world, [v4], [4]);
    await advertise(world, remote);
    const answers = await allAnswer(far, [v4]);
    assert.deepEqual(answers, [`pod4 for ${far.ipv4}`, `pod4 for ${far.ipv4}`]);
  });

  test('Services that share an address answer on their ports, until the last of them is gone', async () => {
    const annotations = { 'purelb.io/allow-shared-ip': 'front' };
    await serve(world, 'web', { ips: local, annotations, pods: [1] });
    await serve(world, 'mail', { ips: local, annotations, pods: [2], port: 25 });
    const ofWeb = await allAnswer(world.clients.near, local, 80);
    const ofMail = await allAnswer(world.clients.near, local, 25);
    for (const answer of ofWeb) assert.match(answer, /^pod1 /);
    for (const answer of ofMail) assert.match(answer, /^pod2 /);
    await world.agents.remove('web');
    await nobodyAnswers(world.clients.near, local, 80);
    await allAnswer(world.clients.near, local, 25);
    await world.agents.remove('mail');
    await isNowhere(world, local);
  });

  test('with auto, of v1, an address is local where its subnet is and virtual elsewhere, and answers', async () => {
    await world.groupV1('first', {
      local: {
        v4pools: [
          { subnet: '192.0.2.0/24', pool: '192.0.2.200-192.0.2.209', aggregation: 'default' },
        ],
        v6pools: [
          {
            subnet: '2001:db8:1::/64',
            pool: '2001:db8:1::200-2001:db8:1::209',
            aggregation: 'default',
          },
        ],
      },
    });
    const ips = ['192.0.2.200', '2001:db8:1::200'];
    await serve(world, 'auto', { ips, group: 'first', pods: [2, 4] });
    for (const ip of ips) {
      const length = ip.includes(':') ? 128 : 32;
      await eventually(
        async () => {
          const [local = '', ...others] = await world.agents.places(ip);
          assert.match(local, /^node[123] eth0\/(24|64)$/);
          assert.deepEqual(others, [`node4 kube-lb0/${length}`]);
        },
        { withinMs: 20_000 },
      );
    }
    for (const client of [world.clients.near, world.clients.far]) await allAnswer(client, ips);
    for (const family of ['ipv4', 'ipv6'] as const) {
      const to = world.lab.node(1).address(family);
      assert.notEqual(await ping(world.lab.node(4), to), undefined);
    }
  });

  test('with multiPool a Service answers in each subnet, from a node of that subnet', async () => {
    const pool = (v4: string, v6: string) => ({
      v4pools: [{ subnet: `${v4}.0/24`, pool: `${v4}.220-${v4}.229` }],
      v6pools: [{ subnet: `${v6}::/64`, pool: `${v6}::220-${v6}::229` }],
    });
    const first = pool('192.0.2', '2001:db8:1');
    const second = pool('198.51.100', '2001:db8:2');
    await world.agents.group('both', {
      local: {
        multiPool: true,
        v4pools: [...first.v4pools, ...second.v4pools],
        v6pools: [...first.v6pools, ...second.v6pools],
      },
    });
    const families = { ipFamilies: ['IPv4', 'IPv6'], ipFamilyPolicy: 'RequireDualStack' };
    await serve(world, 'both', {
      ips: [],
      group: 'both',
      families: ['ipv4', 'ipv6'],
      spec: families,
      pods: [1, 4],
    });
    const places = {
      '192.0.2.220': /^node[123] eth0\/24$/,
      '2001:db8:1::220': /^node[123] eth0\/64$/,
      '198.51.100.220': /^node4 eth0\/24$/,
      '2001:db8:2::220': /^node4 eth0\/64$/,
    };
    for (const [ip, place] of Object.entries(places)) {
      assert.match(await world.agents.onePlace(ip, 20_000), place);
    }
    await allAnswer(world.clients.far, Object.keys(places));
  });

  test('no packet, connection or address is lost when all agents are stopped or killed, and start again', async () => {
    const ips = [...local, ...remote];
    await serve(world, 'web', { ips: local, pods: [1, 4] });
    await serve(world, 'far', { ips: remote, group: 'public', type: 'remote', pods: [2] });
    await isOnVirtualLinks(world, remote, [1, 2, 3, 4]);
    await advertise(world, remote);
    // A router that remembers the MAC of a former holder gets answers before the address is back on a link.
    for (const ip of local) await world.agents.onePlace(ip, 20_000);
    await allAnswer(world.clients.far, ips);
    const places = await Promise.all(ips.map((ip) => world.agents.places(ip)));
    const clients = await Promise.all(
      ips.map((ip) =>
        startUdpClient(world.clients.far, { to: ipOf(ip), port: 80, perSecond: 100 }),
      ),
    );
    await using talk = await startTcpClient(world.clients.near, {
      to: ipOf(ips[0] ?? ''),
      port: 80,
    });
    const watches = await Promise.all(
      world.lab.nodes.map((host) => host.start(['ip', '-oneline', 'monitor', 'address'])),
    );
    for (const end of ['stop', 'kill'] as const) {
      const restart = async (number: number) => {
        await world.agents.agent(number)[end]();
        await world.startAgent(number);
      };
      await Promise.all([1, 2, 3, 4].map(restart));
    }
    await sleep(1000);
    for (const client of clients) {
      const { lost, received } = await client.stop();
      assert.deepEqual({ lost, hasReceived: received > 100 }, { lost: 0, hasReceived: true });
    }
    assert.deepEqual(await Promise.all(ips.map((ip) => world.agents.places(ip))), places);
    const { opened, ends } = await talk.stop();
    assert.deepEqual({ opened, ends }, { opened: 1, ends: [] });
    await Promise.all(watches.map((watch) => watch.kill()));
    // Neighbours that remember a MAC would not notice an address that was away for a moment.
    const seen = watches.flatMap(({ lines }) => lines.map(({ text }) => text));
    const ours = seen.filter((line) => ips.some((ip) => line.includes(` ${ip}/`)));
    assert.ok(ours.length > 0);
    assert.deepEqual(
      ours.filter((line) => line.startsWith('Deleted')),
      [],
    );
  });

  test('when the node that has an address dies, another one answers', async () => {
    const [ip = ''] = local;
    await serve(world, 'web', { ips: [ip], pods: [4] });
    const number = nodeIn(await world.agents.onePlace(ip));
    await allAnswer(world.clients.near, [ip]);
    const fault = await powerOff(world.lab.node(number));
    try {
      const place = await world.agents.onePlace(ip, 30_000);
      assert.notEqual(nodeIn(place), number);
      await allAnswer(world.clients.near, [ip]);
    } finally {
      await fault.heal();
      await world.boot(number);
    }
  });
}
