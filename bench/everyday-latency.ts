/** From a request until its effect, for addresses that the allocator chooses. */

import { setTimeout as sleep } from 'node:timers/promises';
import { AddressWatch as KernelWatch } from '../lab/cluster/address-watch.ts';
import { monotonicMs } from '../lab/monotonic.ts';
import { SystemClock } from '../src/runtime/system-clock.ts';
import { forAll } from './agent-cluster.ts';
import { measureSilence } from './agent-latency.ts';
import { type EverydayStage, reportMs } from './everyday-stage.ts';
import { quantile } from './quantile.ts';

const samples = 60;
const warmUps = 5;
const probeEveryMs = 1;
/** The client's kernel keeps packets until it knows the neighbour, so that more of them show nothing sooner. */
const queuedProbeMs = 50;
const calmMs = 200;

/** All are deleted at the end, so that each has an address that was not used just before. */
export async function measureOneByOne(stage: EverydayStage): Promise<void> {
  const names = Array.from({ length: warmUps + samples }, (_, number) => `one-${number}`);
  const created: { readonly ip: string; readonly statusMs: number; readonly answerMs: number }[] =
    [];
  for (const name of names) created.push(await measureCreation(stage, name));
  const silences: number[] = [];
  for (const [index, name] of names.entries()) {
    const probe = stage.prober.probe(created[index]?.ip ?? '', probeEveryMs);
    await probe.first;
    silences.push(await measureSilence(stage.cluster, name, probe));
  }
  const statuses = created.slice(warmUps).map(({ statusMs }) => statusMs);
  const answers = created.slice(warmUps).map(({ answerMs }) => answerMs);
  reportMs(stage, 'create → address in status, p50', quantile(statuses, 0.5), 14.3);
  reportMs(stage, 'create → address in status, p95', quantile(statuses, 0.95), 23);
  reportMs(stage, 'create → first answered packet, p50', quantile(answers, 0.5), 22);
  reportMs(stage, 'create → first answered packet, p95', quantile(answers, 0.95), 30);
  reportMs(stage, 'delete → gone from the kernel, p50', quantile(silences, 0.5), 7);
}

/** No packet is sent to the address before the client can know it. */
async function measureCreation({ cluster, prober, watch }: EverydayStage, name: string) {
  const seen = watch.whenSeen(name);
  const createdAt = monotonicMs();
  const created = cluster.create(name);
  const ip = await seen;
  const statusMs = monotonicMs() - createdAt;
  const probe = prober.probe(ip, probeEveryMs);
  const answerMs = (await probe.first) - createdAt;
  probe.stop();
  await created;
  await sleep(calmMs);
  return { ip, statusMs, answerMs };
}

/** Each is created as soon as the API server has taken the one before. */
export async function measureBackToBack(stage: EverydayStage): Promise<void> {
  const { cluster, prober, watch } = stage;
  const names = Array.from({ length: samples }, (_, number) => `row-${number}`);
  const firstAnswer = async (name: string, createdAt: number) => {
    const probe = prober.probe(await watch.whenSeen(name), queuedProbeMs);
    const at = await probe.first;
    probe.stop();
    return at - createdAt;
  };
  const waiting: Promise<number>[] = [];
  for (const name of names) {
    waiting.push(firstAnswer(name, monotonicMs()));
    await cluster.create(name);
  }
  const times = await Promise.all(waiting);
  const label = 'create → first answered packet, back to back';
  reportMs(stage, `${label}, p50`, quantile(times, 0.5), 28);
  reportMs(stage, `${label}, p95`, quantile(times, 0.95), 58);
  await forAll(names, (name) => cluster.remove(name));
  await forAll(names, (name) => cluster.untilGone(name));
}

/** Until every node has it. */
export async function measureRemote(stage: EverydayStage): Promise<void> {
  const { cluster, watch } = stage;
  const { nodes } = cluster.deployed.lab;
  const kernels = new KernelWatch({ clock: new SystemClock(), onError: () => {} });
  for (const node of nodes) kernels.watch(node);
  const times: number[] = [];
  for (let sample = -warmUps; sample < samples; sample += 1) {
    const name = `remote-${sample + warmUps}`;
    const seen = watch.whenSeen(name);
    const createdAt = monotonicMs();
    await cluster.create(name, { group: 'routed' });
    const ip = await seen;
    const at = await untilOnAll(kernels, ip, nodes.length);
    if (sample >= 0) times.push(at - createdAt);
    await sleep(calmMs);
    await cluster.remove(name);
    await cluster.untilGone(name);
  }
  kernels.close();
  reportMs(stage, 'create → remote address on all nodes, p50', quantile(times, 0.5), 18);
}

function untilOnAll(kernels: KernelWatch, ip: string, count: number): Promise<number> {
  return new Promise((resolve) => {
    const look = () => {
      if (kernels.addresses.filter((held) => held.ip === ip).length < count) return;
      stop();
      resolve(monotonicMs());
    };
    const stop = kernels.subscribe(look);
    look();
  });
}
