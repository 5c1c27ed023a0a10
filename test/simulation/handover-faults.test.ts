import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ipOf } from '../../src/model/ip.ts';
import { PlannedMove } from './planned-move.ts';
import type { SimulatedNode } from './simulated-node.ts';

const vip4 = ipOf('192.0.2.100');
const vip6 = ipOf('2001:db8:1::100');

interface Scene {
  readonly move: PlannedMove;
  readonly holder: SimulatedNode;
  /** Whom the holder names first. */
  readonly successor: SimulatedNode;
}

type Phase = 'label' | 'named' | 'added' | 'overlap' | 'last word' | 'gone';
const phases: readonly Phase[] = ['label', 'named', 'added', 'overlap', 'last word', 'gone'];

/** One address whose holder is labelled, at the moment that a phase of its handover has come. */
async function sceneAt(phase: Phase, ip = vip4, seed = 1): Promise<Scene> {
  const move = await PlannedMove.open({ nodes: 4, seed, ips: [ip] });
  const holder = move.holderOf(ip);
  move.label(holder, '');
  if (phase === 'label') {
    // Whom it will name is not known yet: the same cluster once more tells.
    const other = await sceneAt('named', ip, seed);
    return { move, holder, successor: move.node(other.successor.name) };
  }
  await move.until('it names one', () => move.handingOf(holder) !== '');
  const successor = move.node(move.handingOf(holder).split('=')[0]);
  if (phase === 'named') return { move, holder, successor };
  await move.until('both hold it', () => successor.holds(ip));
  if (phase === 'gone') await move.until('it lets go', () => !holder.holds(ip));
  else await move.live({ added: 0, overlap: 250, 'last word': 499 }[phase]);
  return { move, holder, successor };
}

function cut({ move }: Scene, ...nodes: readonly SimulatedNode[]): () => void {
  const nics = new Set<unknown>(nodes.map(({ nic }) => nic));
  const { segment } = move.simulation;
  segment.passes = (_frame, from, to) => !(nics.has(from) && nics.has(to));
  return () => {
    segment.passes = () => true;
  };
}

for (const ip of [vip4, vip6]) {
  for (const phase of phases) {
    test(`${ip}: the successor dies at "${phase}": another has the address at once`, async () => {
      const { move, holder, successor } = await sceneAt(phase, ip);
      move.begin();
      successor.powerOff();
      await move.live(15_000);
      move.assertOneHolder();
      assert.ok(move.holderOf(ip) !== holder && move.holderOf(ip) !== successor, move.story());
      move.assertSilence(2_000);
      move.assertOverlap(1_000);
    });

    test(`${ip}: the holder dies at "${phase}": plain failover finds one holder`, async () => {
      const { move, holder } = await sceneAt(phase, ip);
      move.begin();
      holder.powerOff();
      await move.live(15_000);
      move.assertOneHolder();
      move.assertSilence(2_000);
      move.assertOverlap(1_000);
    });

    test(`${ip}: the holder's agent dies at "${phase}" and starts again: no packet is lost`, async () => {
      const { move, holder } = await sceneAt(phase, ip);
      move.begin();
      holder.killAgent();
      await move.live(3_000);
      holder.startAgent();
      await move.live(10_000);
      move.assertOneHolder();
      assert.notEqual(move.holderOf(ip), holder);
      move.assertSilence(0);
      assert.equal(move.longestVacancyMs, 0);
    });

    test(`${ip}: the successor's agent dies at "${phase}" and starts again: no packet is lost`, async () => {
      const { move, holder, successor } = await sceneAt(phase, ip);
      move.begin();
      successor.killAgent();
      await move.live(1_000);
      successor.startAgent();
      await move.live(15_000);
      move.assertOneHolder();
      assert.notEqual(move.holderOf(ip), holder);
      assert.equal(move.longestVacancyMs, 0, move.story());
      move.assertSilence(0);
    });

    test(`${ip}: holder and successor do not hear each other from "${phase}" on, for six seconds`, async () => {
      const scene = await sceneAt(phase, ip);
      const { move, holder, successor } = scene;
      move.begin();
      const heal = cut(scene, holder, successor);
      await move.live(6_000);
      heal();
      await move.live(10_000);
      move.assertOneHolder();
      assert.notEqual(move.holderOf(ip), holder);
      assert.equal(move.longestVacancyMs, 0, move.story());
      move.assertOverlap(7_500);
    });

    test(`${ip}: the holder is parted from everyone at "${phase}", and the network heals: one holder is left`, async () => {
      const { move, holder } = await sceneAt(phase, ip);
      move.begin();
      const { segment } = move.simulation;
      segment.passes = (_frame, from, to) => from !== holder.nic && to !== holder.nic;
      await move.live(3_000);
      segment.passes = () => true;
      await move.live(15_000);
      move.assertOneHolder();
      assert.notEqual(move.holderOf(ip), holder);
      move.assertSilence(3_000);
    });

    test(`${ip}: the API server is lost at "${phase}", for half a minute: no packet is lost`, async () => {
      const { move, holder } = await sceneAt(phase, ip);
      move.begin();
      const { faults } = move.simulation;
      faults.add({ fault: { kind: 'reset' } });
      faults.breakWatches({ how: 'reset' });
      await move.live(30_000);
      faults.clear();
      // Watches come back by and by, and who was named meanwhile did not know.
      await move.live(60_000);
      move.assertOneHolder();
      assert.notEqual(move.holderOf(ip), holder);
      move.assertSmooth();
    });
  }
}

for (const ip of [vip4, vip6]) {
  for (const phase of ['added', 'overlap', 'last word'] as const) {
    test(`${ip}: the successor hangs and loses the address at "${phase}": it is never without a holder`, async () => {
      const { move, holder, successor } = await sceneAt(phase, ip);
      move.begin();
      successor.stall();
      successor.kernel.machine.removeAddress('eth0', `${ip}/${ip === vip4 ? 24 : 64}`);
      await move.live(20_000);
      assert.equal(move.longestVacancyMs, 0, move.story());
      successor.resume();
      await move.live(10_000);
      move.assertOneHolder();
      assert.notEqual(move.holderOf(ip), holder);
      assert.equal(move.longestVacancyMs, 0, move.story());
    });
  }
}

test('between different versions of the protocol it is plain failover', async () => {
  const move = await PlannedMove.open({ ips: [vip4] });
  const holder = move.holderOf(vip4);
  for (const node of move.others(holder)) {
    const { url, object } = move.leaseOf(node);
    const links = object.metadata.annotations?.['purelb.io/links'] ?? '';
    const old = links.replace('"version":2', '"version":1');
    assert.notEqual(old, links);
    const metadata = { annotations: { 'purelb.io/links': old } };
    move.simulation.send('PATCH', url, { metadata });
  }
  move.label(holder, '');
  await move.live(100);
  assert.equal(holder.holds(vip4), false);
  await move.live(3_000);
  move.assertOneHolder();
  assert.equal(move.longestOverlapMs, 0);
  move.assertSilence(1_500);
});
