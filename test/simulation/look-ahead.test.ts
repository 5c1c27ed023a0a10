/** Addresses that are given out next are looked for on the wire before any Service has them. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { acceptPools } from '../../src/decide/allocation/accept-pools.ts';
import { allocate } from '../../src/decide/allocation/allocate.ts';
import { FakeHost } from '../../src/linux/fake-host.ts';
import { latestByIp } from '../../src/model/conflict.ts';
import { type Ip, ipOf } from '../../src/model/ip.ts';
import type { KubeObject } from '../../src/model/kube-object.ts';
import { macOf } from '../../src/model/mac.ts';
import { questionIn } from '../../src/model/neighbour-frame.ts';
import { must } from '../../src/model/parsed.ts';
import { readGroup } from '../../src/model/read-group.ts';
import { readLease } from '../../src/model/read-lease.ts';
import { readService } from '../../src/model/read-service.ts';
import { Simulation, type SimulationOptions } from './simulation.ts';
import { TwoHolders } from './two-holders.ts';

const samples = [
  { family: 'IPv4', first: ipOf('192.0.2.100'), second: ipOf('192.0.2.101') },
  { family: 'IPv6', first: ipOf('2001:db8:1::100'), second: ipOf('2001:db8:1::101') },
] as const;

const strangerMac = macOf('02:00:00:01:00:77');

async function started(options: Partial<SimulationOptions> = {}, strangersIps: readonly Ip[] = []) {
  const simulation = new Simulation({ seed: 1, nodes: 3, ...options });
  const addresses = new Set<Ip>(strangersIps);
  const link = { index: 2, name: 'eth0', mac: strangerMac };
  new FakeHost().addNic({ link, segment: simulation.segment, addresses });
  const questions: { readonly ip: Ip; readonly at: number }[] = [];
  simulation.segment.copies = (frame) => {
    const ip = questionIn(frame);
    if (ip !== undefined) questions.push({ ip, at: simulation.clock.monotonic() });
    return 1;
  };
  await simulation.start();
  return { simulation, clock: simulation.clock, addresses, questions };
}

function list(simulation: Simulation, url: string): readonly KubeObject[] {
  return (simulation.send('GET', url) as unknown as { items: readonly KubeObject[] }).items;
}

function reportsOf(simulation: Simulation) {
  const url = '/apis/coordination.k8s.io/v1/namespaces/purelb-system/leases';
  return list(simulation, url).flatMap((lease) => must(readLease(lease))?.conflicts ?? []);
}

/** What the allocator gives a new Service, by what stands in the cluster. */
function nextAddress(simulation: Simulation, family: string): Ip | undefined {
  const spec = { type: 'LoadBalancer', clusterIP: '203.0.113.1', ipFamilies: [family] };
  const fresh = { metadata: { namespace: 'shop', name: 'fresh', uid: 'fresh' }, spec };
  const objects = [...list(simulation, '/api/v1/services'), fresh];
  const services = objects.map((object) => must(readService(object)));
  const groups = list(simulation, '/apis/purelb.io/v2/servicegroups').map((each) =>
    must(readGroup(each)),
  );
  const plan = allocate({
    services,
    pools: acceptPools({ groups, services, installNamespace: 'purelb-system' }),
    namespaces: new Map([['shop', new Map()]]),
    subnets: [],
    lostHolders: new Map(),
    conflicts: latestByIp(reportsOf(simulation)),
    answers: new Map(),
    policyRewrites: new Map(),
    settings: { classes: [], isDefaultAnnouncer: true, convergesUnasked: false },
    now: simulation.clock.now(),
  });
  const decision = plan.decisions.find(({ service }) => service.key === 'shop/fresh');
  return decision?.kind === 'assign' ? decision.gains[0] : undefined;
}

async function untilHeld(simulation: Simulation, ip: Ip): Promise<number> {
  const startedAt = simulation.clock.monotonic();
  while (simulation.holders(ip).length === 0) {
    await simulation.clock.advance(1);
    assert.ok(simulation.clock.monotonic() - startedAt < 5_000, `nobody took ${ip}`);
  }
  return simulation.clock.monotonic() - startedAt;
}

for (const { family, first, second } of samples) {
  test(`${family}: a stranger on the next free address is found in advance, and a Service gets another`, async () => {
    const { simulation, clock } = await started({}, [first]);
    await clock.advance(10_000);
    const found = reportsOf(simulation).map(({ ip, mac }) => [ip, mac]);
    assert.deepEqual(found, [[first, strangerMac]]);
    const given = nextAddress(simulation, family);
    assert.equal(given, second);
    const two = new TwoHolders(simulation, [first, second]);
    simulation.serve('web', second);
    await clock.advance(10_000);
    assert.deepEqual(simulation.holders(first), [], 'never a duplicate');
    assert.equal(simulation.holders(second).length, 1);
    assert.equal(two.longestMs(second), 0);
  });

  test(`${family}: an address that was looked at in advance is on a link 20 ms sooner`, async () => {
    const { simulation } = await started();
    simulation.serve('ahead', first);
    const ahead = await untilHeld(simulation, first);
    const far = ipOf(family === 'IPv4' ? '192.0.2.170' : '2001:db8:1::170');
    simulation.serve('asked', far);
    const asked = await untilHeld(simulation, far);
    assert.ok(ahead <= 16, `${ahead} ms`);
    assert.ok(asked >= 20, `asked for by name, and never looked at: ${asked} ms`);
  });

  test(`${family}: a stranger that takes the address after the look, and says so, is heard`, async () => {
    const { simulation, clock, addresses } = await started();
    await clock.advance(5_000);
    addresses.add(first);
    const frame = announcement(first);
    simulation.segment.carry(frame, { mac: strangerMac, receive: () => {} });
    await clock.advance(8_000);
    simulation.serve('web', first);
    await clock.advance(3_000);
    assert.deepEqual(simulation.holders(first), []);
  });

  test(`${family}: a released address is looked at again when it is free`, async () => {
    const { simulation, clock, questions } = await started();
    simulation.serve('web', first);
    await clock.advance(3_000);
    const since = clock.monotonic();
    simulation.unserve('web', first);
    await clock.advance(3_000);
    assert.deepEqual(simulation.holders(first), []);
    assert.ok(questions.some(({ ip, at }) => ip === first && at >= since));
    simulation.serve('again', first);
    assert.ok((await untilHeld(simulation, first)) <= 16);
  });

  test(`${family}: looks in advance run ahead of a burst`, async () => {
    const { simulation, clock, questions } = await started();
    const ips = Array.from({ length: 30 }, (_, index) =>
      ipOf(family === 'IPv4' ? `192.0.2.${100 + index}` : `2001:db8:1::1${hex(index)}`),
    );
    const givenAt = new Map<Ip, number>();
    for (const [index, ip] of ips.entries()) {
      givenAt.set(ip, clock.monotonic());
      simulation.serve(`s${index}`, ip);
      await clock.advance(20);
    }
    await clock.advance(3_000);
    assert.ok(ips.every((ip) => simulation.holders(ip).length === 1));
    const ahead = ips.filter((ip) =>
      questions.some((each) => each.ip === ip && each.at < (givenAt.get(ip) ?? 0)),
    );
    assert.deepEqual(ahead, ips);
  });
}

test('a router that answers for every address makes no look in advance a conflict', async () => {
  const { simulation, clock } = await started({ proxyArp: true });
  await clock.advance(60_000);
  assert.deepEqual(reportsOf(simulation), []);
  assert.equal(nextAddress(simulation, 'IPv4'), ipOf('192.0.2.100'));
});

test('in calm 8 addresses of each family are asked for, each once in 20 s, by one node', async () => {
  const { simulation, clock, questions } = await started();
  simulation.serve('web', ipOf('192.0.2.100'), ipOf('2001:db8:1::100'));
  await clock.advance(60_000);
  const from = clock.monotonic();
  await clock.advance(200_000);
  const isPool = (ip: Ip) => /^192\.0\.2\.1\d\d$|^2001:db8:1::1..$/.test(ip);
  const held = new Set(['192.0.2.100', '2001:db8:1::100'].map(ipOf));
  const ahead = questions.filter(({ ip, at }) => at > from && isPool(ip) && !held.has(ip));
  assert.ok(ahead.length >= 140, `${ahead.length} questions`);
  assert.ok(ahead.length <= 16 * 11, `${ahead.length} questions in 200 s`);
});

test('a host that answers for each address that is looked at takes few of them', async () => {
  const every = Array.from({ length: 100 }, (_, index) => ipOf(`192.0.2.${100 + index}`));
  const { simulation, clock } = await started({}, every.slice(0, 90));
  await clock.advance(120_000);
  // The agents report what they see; the allocator keeps back a twentieth of the pool.
  assert.ok(reportsOf(simulation).length <= 16, 'only what comes next was looked at');
  const given = nextAddress(simulation, 'IPv4');
  assert.ok(given !== undefined && every.indexOf(given) <= 18, `${given}`);
});

function hex(value: number): string {
  return value.toString(16).padStart(2, '0');
}

function announcement(ip: Ip) {
  const to = macOf(ip.includes(':') ? '33:33:00:00:00:01' : 'ff:ff:ff:ff:ff:ff');
  if (!ip.includes(':')) {
    const station = { ip, mac: strangerMac };
    const arp = { kind: 'arp', operation: 'request', from: strangerMac, to } as const;
    return { ...arp, sender: station, target: station };
  }
  return {
    kind: 'neighbour-advertisement',
    from: strangerMac,
    to,
    source: ip,
    destination: ipOf('ff02::1'),
    target: ip,
    targetMac: strangerMac,
    isSolicited: false,
    overrides: true,
    isRouter: false,
  } as const;
}
