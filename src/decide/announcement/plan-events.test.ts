import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addressKey } from '../../model/address.ts';
import type { Ip } from '../../model/ip.ts';
import type { LoadBalancer } from '../../model/load-balancer.ts';
import { familySamples } from './cluster.fixture.ts';
import { link, route } from './node.fixture.ts';
import { placeAddresses } from './place-addresses.ts';
import { type EventFacts, planEvents } from './plan-events.ts';
import { service } from './pool.fixture.ts';
import { collectProtected } from './protected-prefixes.ts';
import { eth0, type SnapshotSpec, snapshotOf, usualKernel } from './snapshot.fixture.ts';
import { macOfNode } from './wire.fixture.ts';

/** Node `a` alone in its cluster, whose kernel has all that is wanted. */
function factsOf(spec: SnapshotSpec, more: Partial<EventFacts> = {}): EventFacts {
  const snapshot = snapshotOf({ nodes: ['a'], ...spec });
  const { decisions, wanted } = placeAddresses(snapshot);
  return {
    node: 'a',
    loadBalancers: snapshot.loadBalancers,
    decisions,
    held: new Set(wanted.map(addressKey)),
    failures: new Map(),
    setbacks: new Map(),
    conflicts: new Map(),
    survey: snapshot.survey,
    electorate: snapshot.electorate,
    endpoints: snapshot.endpoints,
    adopted: new Set(),
    ...more,
  };
}

function told(facts: EventFacts, before?: ReadonlySet<string>): readonly string[] {
  return planEvents(facts, before).events.map(({ reason, message }) => `${reason}: ${message}`);
}

for (const { family, vip, farIp, length, elsewhere } of familySamples) {
  const key = family === 'ipv4' ? 'purelb.io/announcing-IPv4' : 'purelb.io/announcing-IPv6';
  const near = (slot?: string): LoadBalancer =>
    service('web', [vip], slot === undefined ? {} : { annotations: { [key]: slot } });
  const far = service('web', [farIp], { from: 'remote' });
  const announcing = `AnnouncingLocal: Node a announcing ${vip} on interface eth0`;
  const announcingFar = `AnnouncingNonLocal: Announcing ${farIp} from node a interface kube-lb0`;

  test(`${family}: trust: an address that nobody gave is refused, and one node says so with what to do`, () => {
    const other = service('web', [farIp], {
      isRecorded: false,
      annotations: { 'purelb.io/pool-type': 'remote' },
      spec: { loadBalancerClass: 'example.com/lb' },
    });
    const refused = told(factsOf({ services: [other], pools: [] }));
    assert.equal(refused.length, 1);
    assert.match(
      refused[0] ?? '',
      /^AddressRefused: .* is not announced: .*add it to a ServiceGroup$/,
    );
    const nodes = ['a', 'b', 'c', 'd', 'e', 'f'];
    const facts = factsOf({ services: [other], pools: [], nodes });
    const count = nodes.filter((node) => told({ ...facts, node }).length > 0).length;
    assert.equal(count, 1);
  });

  test(`${family}: spec 12: a local address is told when the kernel has it`, () => {
    assert.deepEqual(planEvents(factsOf({ services: [near()] }), undefined).events, [
      {
        service: { namespace: 'shop', name: 'web', uid: 'uid-web' },
        reason: 'AnnouncingLocal',
        message: `Node a announcing ${vip} on interface eth0`,
      },
    ]);
    assert.deepEqual(told(factsOf({ services: [near()] }, { held: new Set() })), []);
  });

  test(`${family}: decision 13: a remote address is told in the words of the documentation`, () => {
    assert.deepEqual(told(factsOf({ services: [far] })), [announcingFar]);
    assert.deepEqual(told(factsOf({ services: [far] }, { held: new Set() })), []);
  });

  test(`${family}: F2: it is told on change only`, () => {
    const facts = factsOf({ services: [near()] });
    const first = planEvents(facts, undefined);
    assert.deepEqual(told(facts, first.told), []);
    const gone = planEvents(factsOf({ services: [] }), first.told);
    assert.deepEqual(told(facts, gone.told), [announcing]);
  });

  test(`${family}: a restarted agent does not tell what its predecessor told`, () => {
    const wire = silence(vip);
    assert.deepEqual(told(factsOf({ services: [near(`a,eth0,${vip}`)], wire })), []);
    assert.deepEqual(told(factsOf({ services: [near(`a,eth1,${vip}`)], wire })), [announcing]);
    const adopted = new Set([`${farIp}/${length}@kube-lb0`]);
    assert.deepEqual(told(factsOf({ services: [far] }, { adopted })), []);
    assert.deepEqual(told(factsOf({ services: [far] }, { adopted }), new Set()), [announcingFar]);
  });

  test(`${family}: what is being verified is told neither when that begins nor when it is over`, () => {
    const services = [near(`a,eth0,${vip}`)];
    const known = factsOf({ services, wire: silence(vip) });
    const asked = known.decisions.map((decision) => ({
      ...decision,
      outcome: { kind: 'leave' } as const,
    }));
    const before = planEvents({ ...known, decisions: asked }, undefined);
    assert.deepEqual(before.events, []);
    assert.deepEqual(planEvents(known, before.told).events, []);
    const routes = new Set([...before.told, `u DefaultRouteChosen: of ${vip} it is`]);
    const still = planEvents({ ...known, decisions: asked }, routes);
    assert.deepEqual(still.told, routes);
  });

  test(`${family}: spec 12: taking an address from another node is told`, () => {
    const facts = factsOf({ services: [near(`b,eth0,${vip}`)], wire: silence(vip) });
    assert.deepEqual(told(facts), [
      announcing,
      `AnnounceSlotSteal: Node a took announcement of ${vip} from node b`,
    ]);
  });

  test(`${family}: taking an address that its holder hands over is no theft`, () => {
    const facts = factsOf({ services: [near(`b,eth0,${vip}`)], wire: silence(vip) });
    for (const handover of [
      { role: 'successor', from: 'b', since: 0 },
      { role: 'settled', at: 0 },
    ] as const) {
      const decisions = facts.decisions.map((decision) => ({ ...decision, handover }));
      assert.deepEqual(told({ ...facts, decisions }), [announcing]);
    }
  });

  test(`${family}: spec 12: what the kernel refused is told in its words`, () => {
    const failures = new Map([[`${vip}/${length}@eth0`, 'ENOBUFS']]);
    assert.deepEqual(told(factsOf({ services: [near()] }, { failures, held: new Set() })), [
      `AnnouncementFailed: Node a could not announce ${vip} on interface eth0: ENOBUFS`,
    ]);
  });

  test(`${family}: spec 19 #29: a node that gave way says so once, however often it tries again`, () => {
    const words = 'ENOBUFS';
    const failures = new Map([[`${vip}/${length}@eth0`, words]]);
    const failed = factsOf({ services: [near()] }, { failures, held: new Set() });
    const first = planEvents(failed, undefined);
    assert.equal(first.events.length, 1);
    const setback = { link: 'eth0', words, attempts: 1, retryAt: 0, isOutvoted: false };
    const waiting = factsOf(
      { services: [near()], electorate: { myFailing: new Set([vip]) } },
      { setbacks: new Map([[vip, setback]]), held: new Set() },
    );
    const second = planEvents(waiting, first.told);
    assert.deepEqual(second.events, []);
    assert.deepEqual(told(failed, second.told), []);
  });

  test(`${family}: spec 19 #45: affinity that has no effect on a shared address is told`, () => {
    const annotations = {
      'purelb.io/node-affinity': 'service-endpoints',
      'purelb.io/allow-shared-ip': 'front',
    };
    const vain = `ConfigurationWarning: purelb.io/node-affinity has no effect on ${vip}, which is shared`;
    assert.deepEqual(told(factsOf({ services: [service('web', [vip], { annotations })] })), [
      announcing,
      vain,
    ]);
    const slotted = { ...annotations, [key]: `a,eth0,${vip}` };
    const before = service('web', [vip], { annotations: slotted });
    assert.deepEqual(told(factsOf({ services: [before] })), []);
  });

  test(`${family}: F11: a conflict is told with the MAC`, () => {
    const conflicts = new Map([[vip, { mac: macOfNode('x'), at: 1_000_000 }]]);
    const facts = factsOf({ services: [near()], wire: { conflicts } }, { conflicts });
    assert.deepEqual(told(facts), [
      `AddressConflict: Node a found ${vip} in use by ${macOfNode('x')}, which is not of this cluster: it is not announced`,
    ]);
    assert.deepEqual(
      told(factsOf({ services: [near()] }, { conflicts }))[1]?.split(': ')[2],
      'this node goes on announcing it',
    );
    const byKernel = new Map([[vip, { mac: undefined }]]);
    assert.match(
      told(factsOf({ services: [near()] }, { conflicts: byKernel }))[1] ?? '',
      /another host/,
    );
  });

  test(`${family}: T11: a prefix that was not used is told with what it would have cut off`, () => {
    const protectedPrefixes = collectProtected({
      nodes: [],
      members: [],
      kernel: usualKernel,
      apiServers: [farIp],
    });
    assert.deepEqual(told(factsOf({ services: [far], more: { protectedPrefixes } })), [
      announcingFar,
      `AggregationUnsafe: Node a announces ${farIp} as a single address: ${elsewhere} on its virtual interface would cut it off from the API server ${farIp}`,
    ]);
  });

  test(`${family}: decision 5: which of several default routes is used is told`, () => {
    const eth1 = link('eth1', { index: 3 });
    const to = family === 'ipv4' ? 'default' : 'default6';
    const routes = [route(eth0, to, { metric: 1 }), route(eth1, to, { metric: 2 })];
    const kernel = { links: [eth0, eth1], routes };
    const name = family === 'ipv4' ? 'IPv4' : 'IPv6';
    assert.deepEqual(told(factsOf({ services: [near()], kernel })), [
      announcing,
      `DefaultRouteChosen: Node a has several default routes for ${name}: interface eth0 is used, having the lowest metric, and eth1 is not`,
    ]);
  });

  test(`${family}: Services that share an address are each told`, () => {
    const services = [near(), service('api', [vip])];
    assert.equal(told(factsOf({ services })).length, 2);
  });
}

/** The wire was asked for the address twice, and nobody answered. */
function silence(ip: Ip) {
  const look = { link: 'eth0', sentAt: [999_900, 999_950], answers: [], isDeaf: false };
  return { looks: new Map([[ip, look]]) };
}
