/** Histories of addresses that somebody else put on a node: former software, a static configuration, an operator. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { advanceLookMs } from '../../src/decide/announcement/advance-look.ts';
import { type Ip, ipOf } from '../../src/model/ip.ts';
import type { KubeObject } from '../../src/model/kube-object.ts';
import { Simulation } from './simulation.ts';
import { TwoHolders } from './two-holders.ts';

const vips = [ipOf('192.0.2.100'), ipOf('2001:db8:1::100')];

function onLink(ip: Ip): string {
  return `${ip}/${ip.includes(':') ? 64 : 24}`;
}

async function started() {
  const simulation = new Simulation({ seed: 1, nodes: 4 });
  await simulation.start();
  return { simulation, clock: simulation.clock, two: new TwoHolders(simulation, vips) };
}

async function served() {
  const world = await started();
  world.simulation.serve('web', ...vips);
  await world.clock.advance(6_000);
  return world;
}

function announcedOf(simulation: Simulation): string {
  const { status } = simulation.send(
    'GET',
    '/api/v1/namespaces/shop/services/web',
  ) as KubeObject & {
    status: { conditions?: { type: string; status: string; reason: string; message: string }[] };
  };
  const found = status.conditions?.find(({ type }) => type === 'Announced');
  return `${found?.status} ${found?.reason} ${found?.message}`;
}

function events(simulation: Simulation): readonly string[] {
  const { items } = simulation.send('GET', '/apis/events.k8s.io/v1/events') as unknown as {
    readonly items: readonly { reason: string; note: string }[];
  };
  return items.map(({ reason, note }) => `${reason} ${note}`);
}

for (const ip of vips) {
  test(`${ip}: an address that somebody puts on another node moves there, and people are told which node`, async () => {
    const { simulation, clock, two } = await served();
    const former = simulation.holder(ip);
    const other = simulation.nodes.find((node) => node !== former);
    assert.ok(other !== undefined);
    const since = clock.monotonic();
    other.kernel.machine.addForeign('eth0', onLink(ip));
    await clock.advance(20_000);
    assert.equal(simulation.holder(ip).name, other.name);
    assert.ok(two.longestMs(ip) <= 4_000, `two owners for ${two.longestMs(ip)} ms`);
    assert.equal(simulation.client.longestSilence(ip, since), 0);
    assert.match(announcedOf(simulation), new RegExp(`^True .*${ip} by ${other.name} on eth0`));
    const told = events(simulation).filter((each) => each.startsWith('UnmarkedAddress'));
    assert.match(told.join(), new RegExp(`Node ${other.name} has ${ip} on interface eth0`));

    other.kernel.machine.removeAddress('eth0', onLink(ip));
    await clock.advance(10_000);
    assert.equal(simulation.holder(ip).name, other.name, 'it stays, with our mark');
    const [now] = other.kernel.machine.addresses().filter((each) => each.ip === ip);
    assert.equal(now?.isOurs, true);
  });

  test(`${ip}: an address that a node has before its Service comes is announced from there, and nobody adds it`, async () => {
    const { simulation, clock, two } = await started();
    simulation.node(3).kernel.machine.addForeign('eth0', onLink(ip));
    await clock.advance(advanceLookMs);
    simulation.serve('web', ...vips);
    await clock.advance(10_000);
    assert.equal(simulation.holder(ip).name, 'node3');
    assert.equal(two.longestMs(ip), 0);
    assert.match(announcedOf(simulation), new RegExp(`${ip} by node3 on eth0`));
  });

  test(`${ip}: one that a node got after the last look in advance moves there within a second`, async () => {
    const { simulation, clock, two } = await started();
    simulation.node(3).kernel.machine.addForeign('eth0', onLink(ip));
    await clock.advance(1_000);
    simulation.serve('web', ...vips);
    await clock.advance(10_000);
    assert.equal(simulation.holder(ip).name, 'node3');
    assert.ok(two.longestMs(ip) < 1_000, `two holders for ${two.longestMs(ip)} ms`);
    assert.match(announcedOf(simulation), new RegExp(`${ip} by node3 on eth0`));
  });

  test(`${ip}: a copy on a node that may not own it is told, with the node's name, and never removed`, async () => {
    const { simulation, clock } = await served();
    const owner = simulation.holder(ip);
    const other = simulation.nodes.find((node) => node !== owner);
    assert.ok(other !== undefined);
    const label = 'node.kubernetes.io/exclude-from-external-load-balancers';
    simulation.send('PATCH', `/api/v1/nodes/${other.name}`, {
      metadata: { labels: { [label]: '' } },
    });
    await clock.advance(3_000);
    other.kernel.machine.addForeign('eth0', onLink(ip));
    await clock.advance(20_000);
    assert.deepEqual(simulation.holders(ip), [owner.name, other.name].sort());
    assert.match(announcedOf(simulation), /^False AddressConflict /);
    assert.match(announcedOf(simulation), new RegExp(`also on ${other.name}`));
    other.kernel.machine.removeAddress('eth0', onLink(ip));
    await clock.advance(10_000);
    assert.equal(simulation.holder(ip).name, owner.name);
    assert.match(announcedOf(simulation), /^True Announced /);
  });
}
