/** From a change in the kernel, made by another process, to our listener. */

import { spawn } from 'node:child_process';
import type { NetlinkKernel } from '../src/linux/netlink-kernel.ts';
import type { BenchReport } from './bench-report.ts';
import { quantile } from './quantile.ts';

const changes = 1000;

export async function measureEventLatency(
  kernel: NetlinkKernel,
  link: string,
  report: BenchReport,
): Promise<void> {
  const heardAt = new Map<string, bigint>();
  const stop = kernel.changes((event) => {
    if (event.kind === 'address-added') heardAt.set(event.address.ip, process.hrtime.bigint());
  });
  const changedAt = await runChanger(link);
  stop();
  const micros = [...changedAt].map(([ip, at]) => {
    const heard = heardAt.get(ip);
    if (heard === undefined) throw new Error(`no event for ${ip}`);
    return Number(heard - at) / 1000;
  });
  for (const share of [0.5, 0.99]) {
    const name = `kernel change → listener, p${share * 100}`;
    report.row({ name, value: quantile(micros, share), unit: 'µs', better: 'lower' });
  }
  report.note(`${micros.length} changes by another process; the change itself is part of the time`);
}

/** When each address was about to be added, on CLOCK_MONOTONIC, which all processes share. */
async function runChanger(link: string): Promise<ReadonlyMap<string, bigint>> {
  const script = new URL('netlink-changer.ts', import.meta.url).pathname;
  const child = spawn(process.execPath, [script, link, `${changes}`], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  for await (const chunk of child.stdout.setEncoding('utf8')) output += chunk;
  return new Map(
    output
      .trim()
      .split('\n')
      .map((line): [string, bigint] => {
        const [ip = '', at = '0'] = line.split(' ');
        return [ip, BigInt(at)];
      }),
  );
}
