/** Histories of a host on the LAN that forges frames, while agents restart and the API server is away. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Ip, ipOf } from '../../src/model/ip.ts';
import { type Forgery, forge } from './forger.ts';
import type { SimulatedNode } from './simulated-node.ts';
import { Simulation, type SimulationOptions } from './simulation.ts';

const vips = [ipOf('192.0.2.100'), ipOf('2001:db8:1::100')];

async function served(options: Partial<SimulationOptions> = {}, ips: readonly Ip[] = vips) {
  const simulation = new Simulation({ seed: 1, nodes: 4, ...options });
  await simulation.start();
  simulation.serve('web', ...ips);
  await simulation.clock.advance(6_000);
  return { simulation, clock: simulation.clock };
}

/** All but the holder as it is when the forger begins: it would be heard as the holder itself. */
function othersThan({ nodes }: Simulation, holder: SimulatedNode) {
  return () => nodes.filter((node) => node !== holder);
}

/** How long nobody had the address, in ms, in steps of 10. */
async function vacancyOf(simulation: Simulation, ip: Ip, ms: number): Promise<number> {
  let vacant = 0;
  for (let passed = 0; passed < ms; passed += 10) {
    await simulation.clock.advance(10);
    if (simulation.holders(ip).length === 0) vacant += 10;
  }
  return vacant;
}

const usual = { what: 'announcements', ips: vips, everyMs: 5 } as const satisfies Partial<Forgery>;

for (const ip of vips) {
  test(`${ip}: 200 forged announcements a second in the name of members take nothing from a holder whose agent restarts`, async () => {
    const { simulation } = await served();
    const holder = simulation.holder(ip);
    forge(simulation, { ...usual, how: 'mismatched', victims: othersThan(simulation, holder) });
    await simulation.clock.advance(2_000);
    holder.killAgent();
    await simulation.clock.advance(1_000);
    holder.startAgent();
    assert.equal(await vacancyOf(simulation, ip, 20_000), 0);
    assert.deepEqual(simulation.holders(ip), [holder.name]);
  });

  test(`${ip}: 200 forged announcements a second take nothing while the API server is away`, async () => {
    const { simulation, clock } = await served();
    const holder = simulation.holder(ip);
    simulation.faults.pause();
    await clock.advance(15_000);
    forge(simulation, { ...usual, how: 'mismatched', victims: othersThan(simulation, holder) });
    assert.equal(await vacancyOf(simulation, ip, 20_000), 0);
    assert.deepEqual(simulation.holders(ip), [holder.name]);
  });

  test(`${ip}: a dead holder has a successor in time though forged frames say that it has the address`, async () => {
    const { simulation, clock } = await served();
    const holder = simulation.holder(ip);
    forge(simulation, { ...usual, how: 'mismatched', victims: () => simulation.nodes });
    await clock.advance(2_000);
    holder.powerOff();
    assert.ok((await vacancyOf(simulation, ip, 6_000)) < 1_800);
    assert.equal(simulation.holders(ip).length, 1);
  });

  test(`${ip}: a holder whose agent restarts keeps the address beyond its lifetime though a stranger announces it`, async () => {
    const { simulation } = await served({ lifetimeSeconds: 60 });
    const holder = simulation.holder(ip);
    forge(simulation, { ...usual, everyMs: 50, ips: [ip], how: 'own', victims: () => [] });
    await simulation.clock.advance(1_000);
    holder.killAgent();
    await simulation.clock.advance(1_000);
    holder.startAgent();
    assert.equal(await vacancyOf(simulation, ip, 75_000), 0);
    assert.deepEqual(simulation.holders(ip), [holder.name]);
  });

  test(`${ip}: probes in the name of members put a takeover off for less than 10 s`, async () => {
    const { simulation, clock } = await served();
    const holder = simulation.holder(ip);
    const victims = othersThan(simulation, holder);
    forge(simulation, { ...usual, what: 'probes', how: 'spoofed', victims });
    await clock.advance(2_000);
    holder.powerOff();
    assert.ok((await vacancyOf(simulation, ip, 30_000)) < 10_000);
    assert.equal(simulation.holders(ip).length, 1);
  });
}

test('ever new strangers that announce an address in use cost the API server some Events, and nothing else', async () => {
  const { simulation, clock } = await served();
  const [ip = ipOf('192.0.2.100')] = vips;
  const holder = simulation.holder(ip);
  const writes: string[] = [];
  simulation.onWrite = (method, url) => {
    if (!url.includes('/leases/')) writes.push(`${method} ${url}`);
  };
  forge(simulation, { ...usual, everyMs: 50, ips: [ip], how: 'many', victims: () => [] });
  await clock.advance(20_000);
  assert.deepEqual(simulation.holders(ip), [holder.name]);
  assert.ok(writes.length <= 30, `${writes.length} writes in 20 s`);
  assert.ok(writes.every((write) => write.includes('/events')));
});
