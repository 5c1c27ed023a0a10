/** From an address on kube-lb0 to the route in the router's kernel, and back: one by one, and a thousand at once. */

import type { KernelEvent } from '../src/linux/kernel.ts';
import { type BgpStage, KernelEye } from './bgp-stage.ts';
import { quantile } from './quantile.ts';

const samples = 50;
const burst = 1_000;
/** Reserved for benchmarks (RFC 2544). */
const addressOf = (index: number) => `198.18.${100 + (index >> 8)}.${index & 255}`;

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

export async function measureBgpLatency(stage: BgpStage): Promise<void> {
  const { bgp, router, report } = stage;
  const node = bgp.world.lab.node(1);
  using onNode = new KernelEye(node);
  using onRouter = new KernelEye(bgp.router.host);
  const change = (course: Course, ips: readonly string[]) =>
    node.run(['ip', '-batch', '-'], {
      input: ips.map((ip) => `addr ${course.command} ${ip}/32 dev kube-lb0\n`).join(''),
    });
  for (const course of courses) {
    const times: number[] = [];
    for (let index = 0; index < samples; index += 1) {
      const ip = addressOf(burst + index);
      await change(course, [ip]);
      times.push((await onRouter.at(course.onRouter, ip)) - (await onNode.at(course.onNode, ip)));
    }
    for (const share of [0.5, 0.99]) {
      const name = `${router}: address → ${course.what}, p${share * 100}`;
      report.row({ name, value: quantile(times, share), unit: 'ms', target: 200, better: 'lower' });
    }
    report.note(`${router}: ${samples} addresses one by one, ${course.what} measured`);
  }
  const all = Array.from({ length: burst }, (_, index) => addressOf(index));
  for (const course of courses) {
    await change(course, all);
    const begun = await Promise.all(all.map((ip) => onNode.at(course.onNode, ip)));
    const ended = await Promise.all(all.map((ip) => onRouter.at(course.onRouter, ip)));
    const value = Math.max(...ended) - Math.min(...begun);
    const name = `${router}: ${burst.toLocaleString('en-US')} addresses at once, first address → last ${course.what}`;
    report.row({ name, value, unit: 'ms', better: 'lower' });
  }
}
