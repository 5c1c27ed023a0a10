/** What a client beyond the router loses: by restarts of the programs on a node, and when a node is cut off. */

import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '../lab/eventually.ts';
import { isolate } from '../lab/faults/cut.ts';
import { startUdpClient } from '../lab/traffic/udp-client.ts';
import { ipOf } from '../src/model/ip.ts';
import { type BgpStage, bfdMs, everywhere, neighborsOf } from './bgp-stage.ts';
import { quantile } from './quantile.ts';

/** On one node only: nobody else could cover for it. */
const alone = '198.18.99.1';
const perSecond = 200;
const awayMs = 1_000;
const cuts = 5;
const patience = { withinMs: 60_000, everyMs: 20 };

export async function measureBgpRestarts({ bgp, router, report }: BgpStage): Promise<void> {
  const host = bgp.world.lab.node(1);
  await host.run(['ip', 'addr', 'add', `${alone}/32`, 'dev', 'kube-lb0']);
  await bgp.leadsTo(alone, [1]);
  const restarts: Readonly<Record<string, () => Promise<unknown>>> = {
    agent: async () => {
      await bgp.world.agent(1).kill();
      await sleep(awayMs);
      await bgp.startAgent(1);
    },
    gobgpd: async () => {
      await bgp.daemon(1).kill();
      await sleep(awayMs);
      await bgp.daemon(1).start();
    },
    'agent and gobgpd': async () => {
      await Promise.all([bgp.world.agent(1).kill(), bgp.daemon(1).kill()]);
      await sleep(awayMs);
      await Promise.all([bgp.daemon(1).start(), bgp.startAgent(1)]);
    },
  };
  for (const [what, restart] of Object.entries(restarts)) {
    const to = ipOf(alone);
    await using client = await startUdpClient(bgp.world.lab.host('client2'), { to, perSecond });
    await eventually(() => assert.ok(client.progress.received > perSecond), patience);
    await restart();
    await eventually(() => isEstablished(bgp), patience);
    // Routers sweep what was not told again when they hear the end of it.
    await sleep(3_000);
    const { lost, sent } = await client.stop();
    report.note(`${router}: ${what} killed, back after ${awayMs} ms: ${lost} of ${sent} lost`);
    const name = `${router}: packets lost by a restart of ${what}`;
    report.row({ name, value: lost, unit: '', target: 0, better: 'lower' });
  }
}

async function isEstablished(bgp: BgpStage['bgp']): Promise<void> {
  assert.equal((await bgp.session(1)).state, 'Established');
}

/** Three nodes have the address: a third of all connections is lost until the router knows. */
export async function measureBgpCuts(stage: BgpStage): Promise<void> {
  const { bgp, router, report } = stage;
  const interval = bfdMs * 1_000;
  const bfd = {
    desiredMinimumTxInterval: interval,
    requiredMinimumReceive: interval,
    detectionMultiplier: 3,
  };
  await bgp.reconfigure({ neighbors: neighborsOf(bgp, { bfd }) });
  const outages: number[] = [];
  for (let cut = 0; cut < cuts; cut += 1) outages.push(await measureCut(stage));
  const name = `${router}: node cut off, BFD ${bfdMs}×3: way gone after, p50 of ${cuts}`;
  report.row({ name, value: quantile(outages, 0.5), unit: 'ms', target: 500, better: 'lower' });
}

async function measureCut({ bgp, router, report }: BgpStage): Promise<number> {
  await bgp.leadsTo(everywhere, bgp.numbers, 60_000);
  await eventually(async () => {
    for (const number of bgp.numbers) assert.equal((await bgp.session(number)).bfd?.state, 'Up');
  }, patience);
  const how = { to: ipOf(everywhere), perSecond: 500, flows: 30 };
  await using client = await startUdpClient(bgp.world.lab.host('client2'), how);
  // The router's end of BFD is up as soon as ours is, but for a packet or two.
  await eventually(() => assert.ok(client.progress.received > how.perSecond), patience);
  const fault = await isolate(bgp.world.lab.node(3));
  const startedAt = performance.now();
  const isGone = async () => assert.equal((await bgp.ways(everywhere)).length, 2);
  await eventually(isGone, { ...patience, everyMs: 1 });
  const ms = performance.now() - startedAt;
  // What was lost shows only after a while.
  await sleep(1_000);
  const { lost, sent } = await client.stop();
  const when = `way gone after ${Math.round(ms)} ms`;
  report.note(`${router}: node cut off, ${when}, ${lost} of ${sent} packets lost`);
  await fault.heal();
  return ms;
}
