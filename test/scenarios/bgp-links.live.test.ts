import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { missingBinaries } from '../../lab/control-plane/binaries.ts';
import { eventually } from '../../lab/eventually.ts';
import { missing } from '../../lab/missing.ts';
import { outsideSegment, serverNumber } from '../../lab/network/address-plan.ts';
import type { NetworkPlan } from '../../lab/network/network-plan.ts';
import { planHost, planLan } from '../../lab/network/plan-lan.ts';
import { nodesAsn, type Router, routerAsn, waysTo } from '../../lab/router/router.ts';
import {
  type RouterKind,
  routerObstacle,
  routerTitles,
  startRouter,
} from '../../lab/router/start-router.ts';
import { BgpWorld } from './bgp-world.ts';

const patience = { withinMs: 30_000, everyMs: 50 };
const ips = ['203.0.113.130', '2001:db8:aa::7'];
/** Of node1, by its MAC (RFC 4291, appendix A). */
const linkLocal = 'fe80::ff:fe01:11';
const farAsn = 64_502;
/** The near router's side of the segment that it shares with the far one. */
const between = { ipv4: '203.0.113.1', ipv6: '2001:db8:99::1' } as const;
/** As FRR knows node1 to connect to it by itself. */
const named = ['2001:db8:1::11'];
const global = { asn: nodesAsn, listenPort: 179 };
const timers = { config: { connectRetry: 1, holdTime: 9 } };

/** node1 ─ router ─ far: nobody else is on the first link. */
function planChain(): NetworkPlan {
  const { segments, hosts } = planLan({ nodes: 1, clients: ['outside'] });
  const host = { name: 'far', role: 'server', number: serverNumber, hasRouter: true } as const;
  return { segments, hosts: [...hosts, planHost({ ...host, segments: [outsideSegment] })] };
}

interface Chain {
  readonly kind: RouterKind;
  readonly beyond: RouterKind;
  /** The far router's. */
  readonly address: string;
  /** Its ways to both addresses of the Service: over IPv6 sessions, IPv4 goes by IPv6 next hops (RFC 8950). */
  readonly hops: readonly string[];
}

const { ipv4, ipv6 } = between;
const chains: readonly Chain[] = [
  { kind: 'frr', beyond: 'bird', address: '203.0.113.2', hops: [ipv4, ipv6] },
  { kind: 'bird', beyond: 'frr', address: '2001:db8:99::2', hops: [ipv6, ipv6] },
];

for (const { kind, beyond, address, hops } of chains) {
  const skip =
    missing('ip', 'ping') ||
    routerObstacle(kind) ||
    routerObstacle(beyond) ||
    missingBinaries('gobgpd');
  const title = `${routerTitles[kind]} on a link without addresses, ${routerTitles[beyond]} beyond`;
  describe(title, { skip }, () => {
    let bgp: BgpWorld;
    let farRouter: Router;
    before(async () => {
      const unnumbered = { nic: 'eth0', nodes: [linkLocal] };
      const routerOptions = { nodes: [], unnumbered };
      bgp = await BgpWorld.open({ router: kind, plan: planChain(), routerOptions });
      const host = bgp.world.lab.host('far');
      await host.run(['ip', 'route', 'add', '192.0.2.0/24', 'via', between.ipv4]);
      await host.run(['ip', 'route', 'add', '2001:db8:1::/64', 'via', between.ipv6]);
      const nodes = ['192.0.2.0/24', '2001:db8:1::/64'];
      farRouter = await startRouter(beyond, { host, nodes, asn: farAsn, nodesAsn, hops: 2 });
    });
    after(async () => {
      await farRouter?.[Symbol.asyncDispose]();
      await bgp[Symbol.asyncDispose]();
    });

    const byLink = (link = 'eth0', more: object = {}) => {
      return { config: { peerAsn: routerAsn, neighborInterface: link, ...more }, timers };
    };
    const lead = (wanted: readonly string[]) =>
      eventually(async () => {
        for (const ip of ips) assert.deepEqual(await bgp.ways(ip), wanted, ip);
      }, patience);
    const isLearntFar = () =>
      eventually(async () => {
        const ways = await Promise.all(ips.map((ip) => waysTo(farRouter.host, ip)));
        assert.deepEqual(ways.flat(), hops);
      }, patience);
    const isTold = (pattern: RegExp) =>
      eventually(async () => {
        const { conditions } = await bgp.nodeStatus(1);
        assert.match(conditions?.[0]?.message ?? '', pattern);
      }, patience);

    test('routes of both families lead to the link-local address of the node', async () => {
      await bgp.world.service('web', { group: 'public', type: 'remote', ips });
      await bgp.configure({ global, neighbors: [byLink()] });
      await lead([linkLocal]);
      await eventually(async () => {
        const { healthy, neighbors } = await bgp.nodeStatus(1);
        const told = neighbors?.map(({ address, state }) => `${address} ${state}`);
        assert.deepEqual([healthy, told], [true, ['iface:eth0 Established']]);
      }, patience);
    });

    test('a neighbour on a link is changed and taken away, and the daemon lives on', async () => {
      const { process } = bgp.daemon(1);
      await bgp.reconfigure({ global, neighbors: [byLink('eth0', { description: 'rack a' })] });
      await eventually(
        async () => assert.equal((await bgp.session(1)).description, 'rack a'),
        patience,
      );
      await bgp.reconfigure({ global, neighbors: [] });
      await lead([]);
      await eventually(async () => assert.deepEqual(await bgp.session(1), {}), patience);
      await bgp.reconfigure({ global, neighbors: [byLink('kube-lb0')] });
      await isTold(/iface:kube-lb0: no ipv6 link-local neighbor found/);
      assert.equal(process.hasExited, false);
    });

    const findsAnother = async () => {
      await bgp.reconfigure({ global, neighbors: [byLink()] });
      await lead([linkLocal]);
      await bgp.router.kill();
      const { host } = bgp.router;
      await host.run(['ip', 'addr', 'add', 'fe80::2/64', 'dev', 'eth0', 'nodad']);
      await host.run(['ip', 'addr', 'del', 'fe80::ff:fe01:1/64', 'dev', 'eth0']);
      await bgp.world.lab.node(1).run(['ip', '-6', 'neigh', 'flush', 'dev', 'eth0']);
      await bgp.router.start();
      await eventually(async () => {
        const { address: found, state } = await bgp.session(1);
        assert.deepEqual([found, state], ['fe80::2%eth0', 'Established']);
      }, patience);
      await lead([linkLocal]);
    };
    // Once: it is the nodes' side that looks for it.
    if (kind === 'bird') test('another router at the other end of the link is found', findsAnother);

    test('a router two hops away is reached with multihop alone', async () => {
      const diedOnTheWay = async () => {
        const argv = ['sh', '-c', 'cat /proc/net/snmp /proc/net/snmp6'];
        return readExceeded((await bgp.router.host.run(argv)).stdout);
      };
      const neighbor = { config: { peerAsn: farAsn, neighborAddress: address }, timers };
      const before = await diedOnTheWay();
      await bgp.reconfigure({ global, neighbors: [neighbor, byLink()] });
      await eventually(async () => assert.ok((await diedOnTheWay()) > before), patience);
      await isTold(new RegExp(`no session with ${address}`));
      const ebgpMultihop = { enabled: true, multihopTTL: 2 };
      await bgp.reconfigure({ global, neighbors: [{ ...neighbor, ebgpMultihop }, byLink()] });
      await isLearntFar();
      for (const ip of ips) {
        await eventually(() => farRouter.host.run(['ping', '-c1', '-W1', ip]), patience);
      }
    });

    const letsIn = async () => {
      const peerGroups = [
        {
          config: { peerGroupName: 'far', peerAsn: farAsn },
          timers,
          ebgpMultihop: { enabled: true, multihopTTL: 2 },
        },
      ];
      const dynamicNeighbors = [{ prefix: '2001:db8:99::/64', peerGroup: 'far' }];
      await bgp.reconfigure({ global, neighbors: [byLink()] });
      await farRouter.restart({ named });
      await eventually(async () => {
        for (const ip of ips) assert.deepEqual(await waysTo(farRouter.host, ip), [], ip);
      }, patience);
      await bgp.reconfigure({ global, neighbors: [byLink()], peerGroups, dynamicNeighbors });
      await isLearntFar();
      await eventually(async () => {
        const { healthy, neighbors } = await bgp.nodeStatus(1);
        const told = neighbors?.map((each) => `${each.address} ${each.state}`).sort();
        const both = ['2001:db8:99::2 Established', 'iface:eth0 Established'];
        assert.deepEqual([healthy, told], [true, both]);
      }, patience);
    };
    // BIRD waits to be connected to.
    if (beyond === 'frr')
      test('a router of a network that is listed may connect by itself', letsIn);
  });
}

/** Packets whose way was too long for them, of both families, as the kernel counts them. */
function readExceeded(text: string): number {
  const lines = text.split('\n').map((line) => line.trim().split(/\s+/));
  const [names, values] = lines.filter(([name]) => name === 'Icmp:');
  const ipv4 = values?.[names?.indexOf('OutTimeExcds') ?? -1];
  const ipv6 = lines.find(([name]) => name === 'Icmp6OutTimeExcds')?.[1];
  return Number(ipv4) + Number(ipv6);
}
