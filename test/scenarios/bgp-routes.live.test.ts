import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { capture } from '../../lab/capture/capture.ts';
import type { CapturedFrame } from '../../lab/capture/pcap.ts';
import { missingBinaries } from '../../lab/control-plane/binaries.ts';
import { eventually } from '../../lab/eventually.ts';
import { missing } from '../../lab/missing.ts';
import { Frr, frrObstacle } from '../../lab/router/frr.ts';
import { learntWays, routerAsn } from '../../lab/router/router.ts';
import { startResponder } from '../../lab/traffic/responder.ts';
import { startUdpClient } from '../../lab/traffic/udp-client.ts';
import { type MergePatch, mergePatch } from '../../src/kube/patch.ts';
import { nodes, services } from '../../src/kube/resources.ts';
import { routeAnnotations as names } from '../../src/model/annotations.ts';
import { ipOf } from '../../src/model/ip.ts';
import { excludeNodeLabel } from '../../src/model/well-known-names.ts';
import { BgpWorld } from './bgp-world.ts';
import { addIdleLink } from './host-kernel.ts';

const skip = missing('ip', 'vtysh', 'tcpdump') || frrObstacle() || missingBinaries('gobgpd');
const patience = { withinMs: 30_000, everyMs: 50 };
const remote = { group: 'public', type: 'remote' } as const;

/** The attribute COMMUNITIES with nothing but 65535:0, as it is on the wire (RFC 1997, RFC 8326). */
const gracefulShutdown = Buffer.from('c00804ffff0000', 'hex');

const serviceAttributes = {
  communities: ['64500:*', '64500:1:*', 'no-export'],
  maxAsPathPrepend: 2,
  med: { max: 100 },
  localPref: { max: 300 },
};

describe('BGP routes and what they carry, with FRR', { skip }, () => {
  let bgp: BgpWorld;
  before(async () => {
    bgp = await BgpWorld.open({ router: 'frr', nodes: 2 });
  });
  const folder = mkdtempSync(join(tmpdir(), 'purelb-routes-'));
  after(async () => {
    rmSync(folder, { recursive: true });
    await bgp[Symbol.asyncDispose]();
  });

  const carries = (prefix: string, words: string) =>
    eventually(async () => {
      const wanted = ['node1', 'node2'].map((node) => `${node} ${words}`);
      assert.deepEqual(await bgp.routes(prefix), wanted);
    }, patience);
  const annotate = (name: string, annotations: Readonly<Record<string, string | null>>) =>
    bgp.world.cluster.patch(
      services,
      { namespace: 'shop', name },
      mergePatch({ metadata: { annotations } }),
    );
  const isTold = (name: string, pattern: RegExp) =>
    eventually(async () => {
      const events = await bgp.world.eventsOf(name);
      const found = events.filter((each) => each.startsWith('RouteAttributesRefused'));
      assert.match(found.join('\n'), pattern);
    }, patience);
  const frr = () => {
    assert.ok(bgp.router instanceof Frr);
    return bgp.router;
  };
  const neighbor = (config: object, more: object = {}) => {
    return [bgp.neighbor(config, more)];
  };

  test('a route carries what its Service asks for and is allowed, and the rest is told', async () => {
    const annotations = {
      [names.communities]: '64500:100,64500:1:2,64999:1',
      [names.asPathPrepend]: '2',
      [names.med]: '50',
      [names.localPref]: '200',
    };
    const ips = ['203.0.113.131', '2001:db8:aa::8'];
    await bgp.world.service('plain', { ...remote, ips: ['203.0.113.130'] });
    await bgp.world.service('asking', { ...remote, ips, annotations });
    await bgp.configure({ serviceAttributes });
    const words = '64500 64500 64500 med=50 64500:100 64500:1:2';
    await carries('203.0.113.131/32', words);
    await carries('2001:db8:aa::8/128', words);
    await carries('203.0.113.130/32', '64500');
    await isTold('asking', /64999:1 is not in serviceAttributes\.communities/);
    await isTold('asking', /local-pref: only internal neighbours/);
    await bgp.leadsTo('203.0.113.131', [1, 2]);
  });

  test('two Services on one address are one route, for which the older one has the say', async () => {
    const annotations = { [names.med]: '60' };
    await bgp.world.service('young', { ...remote, ips: ['203.0.113.131'], annotations });
    await isTold('young', /203\.0\.113\.131\/32 is the route of shop\/asking as well/);
    await annotate('asking', { [names.communities]: null, [names.asPathPrepend]: null });
    await carries('203.0.113.131/32', '64500 med=50');
    await bgp.world.remove('asking');
    await carries('203.0.113.131/32', '64500 med=60');
    await bgp.leadsTo('203.0.113.131', [1, 2]);
  });

  test('what is not allowed any more is taken off', async () => {
    await bgp.reconfigure({});
    await carries('203.0.113.131/32', '64500');
    await isTold('young', /med: 60 is not within serviceAttributes\.med/);
  });

  test('internal neighbours are sent the local preference', async () => {
    await annotate('young', { [names.localPref]: '250', [names.med]: null });
    await frr().configure(`router bgp ${routerAsn}`, `neighbor NODES remote-as ${routerAsn}`);
    await bgp.reconfigure({ serviceAttributes, neighbors: neighbor({ localAsn: routerAsn }) });
    await carries('203.0.113.131/32', 'local-pref=250');
    await bgp.leadsTo('203.0.113.131', [1, 2]);
    await frr().configure(`router bgp ${routerAsn}`, 'neighbor NODES remote-as 64500');
    await bgp.reconfigure({});
    // Until the sessions are external again: a router keeps the routes of a session that is being set up anew.
    await carries('203.0.113.131/32', '64500');
  });

  /** Labels of a Node, or its spec, as a person changes them. */
  const changeNode = (number: number, patch: MergePatch) =>
    bgp.world.cluster.patch(nodes, { name: `node${number}` }, mergePatch(patch));
  /** An address that is gone while the router still sends to it would be seen here. */
  const leaves = (number: number, ip: string) =>
    eventually(async () => {
      const places = await bgp.world.places(ip);
      const ways = await bgp.ways(ip);
      const isHere = places.some((place) => place.startsWith(`node${number} `));
      const isSentTo = ways.includes(bgp.world.lab.node(number).ipv4);
      if (!isHere && isSentTo) tooEarly.push(`${ip} on node${number}`);
      assert.ok(!isSentTo);
    }, patience);
  const tooEarly: string[] = [];

  test('no packet is lost on the way out: a mark, the withdrawal, and then the addresses', async () => {
    const { lab } = bgp.world;
    await bgp.leadsTo('203.0.113.130', [1, 2]);
    await Promise.all(lab.nodes.map((host) => startResponder(host)));
    await using said = await capture(lab.router.nic(), { filter: 'tcp port 179' });
    const client = await startUdpClient(lab.host('client2'), {
      to: ipOf('203.0.113.130'),
      perSecond: 200,
      flows: 8,
    });
    await eventually(() => assert.ok(client.progress.received > 50), patience);
    await changeNode(1, { metadata: { labels: { [excludeNodeLabel]: 'true' } } });
    await leaves(1, '203.0.113.130');
    await eventually(async () => {
      const places = await bgp.world.places('203.0.113.130');
      assert.deepEqual(places, ['node2 kube-lb0/32']);
    }, patience);
    await changeNode(1, { metadata: { labels: { [excludeNodeLabel]: null } } });
    await bgp.leadsTo('203.0.113.130', [1, 2]);
    await changeNode(2, { spec: { unschedulable: true } });
    const stopped = bgp.world.agent(2).stop(20_000);
    await leaves(2, '203.0.113.130');
    await stopped;
    const { lost, received } = await client.stop();
    assert.deepEqual([lost, received > 100, tooEarly], [0, true, []]);
    assert.deepEqual(sendersOf(await said.stop(), gracefulShutdown), [1, 2]);
    await changeNode(2, { spec: { unschedulable: null } });
    await bgp.startAgent(2);
    await bgp.leadsTo('203.0.113.130', [1, 2]);
  });

  /** Numbers of the nodes that sent a route with this community. */
  const sendersOf = (frames: readonly CapturedFrame[], community: Buffer) =>
    bgp.numbers.filter((number) => {
      const from = Buffer.from(bgp.world.lab.node(number).ipv4.split('.').map(Number));
      return frames.some(({ bytes }) => {
        const frame = Buffer.from(bytes);
        return frame.subarray(26, 30).equals(from) && frame.includes(community);
      });
    });

  test('a thousand prefixes come and go, and sessions that flap bring them back each time', async () => {
    const numbers = Array.from({ length: 1_000 }, (_, index) => index);
    const each = (verb: string) =>
      numbers.map((n) => `addr ${verb} 198.18.${n >> 8}.${n & 255}/32 dev bulk0`).join('\n');
    const node = bgp.world.lab.node(1);
    // On kube-lb0 only addresses of Services are advertised.
    await addIdleLink(node, 'bulk0');
    const interfaceList = ['kube-lb0', 'bulk0'];
    await bgp.reconfigure({ netlinkImport: { enabled: true, interfaceList } });
    const change = async (verb: 'add' | 'del') => {
      const file = join(folder, verb);
      writeFileSync(file, `${each(verb)}\n`);
      await node.run(['ip', '-batch', file]);
    };
    const has = (count: number) =>
      eventually(async () => {
        const ways = await learntWays(bgp.router.host);
        const found = [...ways.keys()].filter((prefix) => prefix.startsWith('198.18.'));
        assert.equal(found.length, count);
      }, patience);
    await change('add');
    await has(1_000);
    bgp.audit.clear();
    const startedAt = performance.now();
    const since: (number | undefined)[] = [];
    for (let times = 0; times < 2; times += 1) {
      since.push((await bgp.session(1)).upSince);
      await bgp.router.reset();
      await eventually(async () => {
        const { state, upSince } = await bgp.session(1);
        assert.deepEqual([state, since.includes(upSince)], ['Established', false]);
      }, patience);
    }
    await has(1_000);
    const seconds = (performance.now() - startedAt) / 1_000;
    const written = bgp.audit.total({ verb: 'patch', resource: 'bgpnodestatuses/status' });
    // Each of two nodes writes once a second at most, and once for each neighbour that came or went before.
    assert.ok(written > 0 && written <= 2 * (seconds + 2), `${written} in ${seconds} s`);
    await bgp.leadsTo('203.0.113.130', [1, 2]);
    await change('del');
    await has(0);
    await bgp.reconfigure({});
    await bgp.leadsTo('203.0.113.130', [1, 2]);
  });

  test('TTL security keeps out who does not do the same', async () => {
    const router = `router bgp ${routerAsn}`;
    await frr().configure(router, 'neighbor NODES ttl-security hops 1');
    await bgp.reconfigure({});
    await bgp.leadsTo('203.0.113.130', []);
    await bgp.reconfigure({ neighbors: neighbor({}, { ttlSecurity: { enabled: true } }) });
    await bgp.leadsTo('203.0.113.130', [1, 2]);
    await frr().configure(router, 'no neighbor NODES ttl-security hops 1');
    await bgp.reconfigure({});
    await bgp.leadsTo('203.0.113.130', [1, 2]);
  });
});
