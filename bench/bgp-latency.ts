/**
 * From an address on kube-lb0 to the UPDATE on the wire, which is our part and gobgpd's, and to the route in the
 * router's kernel, and back: one by one, and a thousand at once.
 */

import { type Capture, capture } from '../lab/capture/capture.ts';
import type { CapturedFrame } from '../lab/capture/pcap.ts';
import type { KernelEvent } from '../src/linux/kernel.ts';
import { type BgpStage, bulkLink, KernelEye } from './bgp-stage.ts';
import { quantile } from './quantile.ts';

const samples = 50;
const burst = 1_000;
/** Reserved for benchmarks (RFC 2544). */
const addressOf = (index: number) => `198.18.${100 + (index >> 8)}.${index & 255}`;
/** An address is on the wire within so many ms, whatever the router makes of it. */
const wireTarget = 200;
/** Of the whole way; FRR itself holds routes back for 60 ms. */
const targets: Readonly<Record<string, Readonly<Record<number, number>>>> = {
  FRR: { 0.5: 100, 0.99: 300 },
  BIRD: { 0.5: 10, 0.99: 50 },
};

interface Course {
  readonly what: string;
  readonly command: 'add' | 'del';
  readonly onNode: KernelEvent['kind'];
  readonly onRouter: KernelEvent['kind'];
}

const courses: readonly Course[] = [
  { what: 'route', command: 'add', onNode: 'address-added', onRouter: 'route-added' },
  { what: 'withdrawal', command: 'del', onNode: 'address-removed', onRouter: 'route-removed' },
];

/** When something happened at all three places, by the clock of this process. */
interface Times {
  readonly node: number;
  readonly wire: number;
  readonly router: number;
}

export async function measureBgpLatency(stage: BgpStage): Promise<void> {
  const { host } = stage.bgp.router;
  using onNode = new KernelEye(stage.bgp.world.lab.node(1));
  using onRouter = new KernelEye(host);
  const eyes = { onNode, onRouter };
  for (const course of courses) reportSingles(stage, course, await singles(stage, course, eyes));
  for (const course of courses) reportBurst(stage, course, await together(stage, course, eyes));
}

interface Eyes {
  readonly onNode: KernelEye;
  readonly onRouter: KernelEye;
}

async function singles(stage: BgpStage, course: Course, eyes: Eyes): Promise<readonly Times[]> {
  await using onWire = await sentBy(stage);
  const ips = Array.from({ length: samples }, (_, index) => addressOf(burst + index));
  const seen: Omit<Times, 'wire'>[] = [];
  for (const ip of ips) {
    await change(stage, course, [ip]);
    const router = await eyes.onRouter.at(course.onRouter, ip);
    seen.push({ router, node: await eyes.onNode.at(course.onNode, ip) });
  }
  const frames = await onWire.stop();
  return seen.map((times, index) => ({ ...times, wire: firstWith(frames, ips[index] ?? '') }));
}

async function together(stage: BgpStage, course: Course, eyes: Eyes): Promise<Times> {
  await using onWire = await sentBy(stage);
  const ips = Array.from({ length: burst }, (_, index) => addressOf(index));
  await change(stage, course, ips);
  const begun = await Promise.all(ips.map((ip) => eyes.onNode.at(course.onNode, ip)));
  const ended = await Promise.all(ips.map((ip) => eyes.onRouter.at(course.onRouter, ip)));
  const updates = (await onWire.stop()).filter(({ bytes }) => bytes.length > largestKeepalive);
  const wire = Math.max(...updates.map(timeOf));
  return { node: Math.min(...begun), wire, router: Math.max(...ended) };
}

/** With all headers; what is longer carries routes. */
const largestKeepalive = 100;

async function sentBy({ bgp }: BgpStage): Promise<Capture> {
  const node = bgp.world.lab.node(1);
  return capture(node.nic(), { filter: `tcp port 179 and src host ${node.ipv4}` });
}

async function change({ bgp }: BgpStage, { command }: Course, ips: readonly string[]) {
  const input = ips.map((ip) => `addr ${command} ${ip}/32 dev ${bulkLink}\n`).join('');
  await bgp.world.lab.node(1).run(['ip', '-batch', '-'], { input });
}

/** A prefix is its length, and as many bytes as that needs (RFC 4271, 4.3). */
function firstWith(frames: readonly CapturedFrame[], ip: string): number {
  const prefix = Buffer.from([32, ...ip.split('.').map(Number)]);
  const found = frames.find(({ bytes }) => Buffer.from(bytes).includes(prefix));
  return found === undefined ? Number.NaN : timeOf(found);
}

const timeOf = ({ epochMs }: CapturedFrame) => epochMs - performance.timeOrigin;

function reportSingles({ router, report }: BgpStage, { what }: Course, times: readonly Times[]) {
  for (const share of [0.5, 0.99]) {
    const at = `p${share * 100}`;
    const onWire = times.map((each) => each.wire - each.node);
    const inKernel = times.map((each) => each.router - each.node);
    const common = { unit: 'ms', better: 'lower' } as const;
    const target = targets[router]?.[share] ?? wireTarget;
    report.row({
      name: `${router}: address → UPDATE with the ${what}, ${at}`,
      value: quantile(onWire, share),
      target: wireTarget,
      ...common,
    });
    report.row({
      name: `${router}: address → ${what}, ${at}`,
      value: quantile(inKernel, share),
      target,
      ...common,
    });
  }
  report.note(`${router}: ${samples} addresses one by one, ${what} measured`);
}

function reportBurst({ router, report }: BgpStage, { what }: Course, times: Times): void {
  const name = `${router}: ${burst.toLocaleString('en-US')} addresses at once, first address → last`;
  const common = { unit: 'ms', better: 'lower' } as const;
  report.row({ name: `${name} UPDATE with a ${what}`, value: times.wire - times.node, ...common });
  report.row({ name: `${name} ${what}`, value: times.router - times.node, ...common });
}
