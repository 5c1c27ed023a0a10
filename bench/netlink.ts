/** Addresses in the kernel, side by side with `ip -batch`; events; memory. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { enterFreshNamespace } from '../lab/fresh-namespace.ts';
import { NetlinkKernel } from '../src/linux/netlink-kernel.ts';
import type { AddressChange, WantedAddress } from '../src/model/address.ts';
import { type Family, type Ip, ipFromBigInt, ipOf, ipToBigInt } from '../src/model/ip.ts';
import type { Bench, BenchReport } from './bench-report.ts';
import { measureEventLatency } from './netlink-latency.ts';
import { measureMemory } from './netlink-memory.ts';
import { type Cost, costOf, costOfCommand } from './operation-cost.ts';
import { quantile } from './quantile.ts';

const link = 'kube-lb0';

interface Load {
  readonly family: Family;
  readonly count: number;
  readonly runs: number;
}

const loads: readonly Load[] = [
  { family: 'ipv4', count: 1000, runs: 5 },
  { family: 'ipv6', count: 1000, runs: 5 },
  { family: 'ipv4', count: 10_000, runs: 2 },
];

export const netlink: Bench = {
  name: 'netlink',
  description: 'addresses added, read and removed, beside ip -batch; kernel events; memory',
  async run(report) {
    enterFreshNamespace();
    const kernel = new NetlinkKernel();
    const scratch = mkdtempSync(join(tmpdir(), 'bench-netlink-'));
    try {
      await kernel.ensureVirtualLink(link);
      for (const load of loads) await compare(kernel, load, scratch, report);
      await measureEventLatency(kernel, link, report);
      await measureMemory(report);
    } finally {
      kernel.close();
      rmSync(scratch, { recursive: true });
    }
  },
};

/** Reading is repeated more often, since it changes nothing. */
const reads = 15;
const operations = ['add', 'read', 'remove'] as const;
type Operation = (typeof operations)[number];

/** Ours and theirs in turn, each starting from an empty link. */
async function compare(
  kernel: NetlinkKernel,
  load: Load,
  scratch: string,
  report: BenchReport,
): Promise<void> {
  const ips = addressesOf(load);
  const longestTurns: number[] = [];
  const ours: Record<Operation, readonly Cost[]>[] = [];
  const theirs: Record<Operation, readonly Cost[]>[] = [];
  for (let run = 0; run < load.runs; run++) {
    ours.push(await measureOurs(kernel, ips, longestTurns));
    theirs.push(measureIp(ips, load.family, scratch));
  }
  const count = load.count.toLocaleString('en-US');
  for (const operation of operations) {
    const costsOf = (runs: typeof ours) => runs.flatMap((run) => run[operation]);
    reportRatio(`${operation} ${count} ${load.family}`, costsOf(ours), costsOf(theirs), report);
  }
  const name = `longest turn while adding ${count} ${load.family}`;
  report.row({ name, value: quantile(longestTurns, 0.5), unit: 'ms', better: 'lower' });
}

function reportRatio(
  name: string,
  ours: readonly Cost[],
  theirs: readonly Cost[],
  report: BenchReport,
): void {
  const median = (runs: readonly Cost[], part: keyof Cost) =>
    quantile(
      runs.map((cost) => cost[part]),
      0.5,
    );
  const wall = median(ours, 'wallMs');
  const ratio = (part: keyof Cost) => median(ours, part) / median(theirs, part);
  report.row({ name, value: wall, unit: 'ms', better: 'lower' });
  report.row({ name: '… ÷ ip', value: ratio('wallMs'), unit: '×', target: 1, better: 'lower' });
  report.row({ name: '… CPU ÷ ip', value: ratio('cpuMs'), unit: '×', target: 2, better: 'lower' });
  const list = (runs: readonly Cost[]) =>
    runs
      .slice(0, 10)
      .map(({ wallMs }) => wallMs.toFixed(0))
      .join(' ');
  report.note(`${name}, the first runs in ms: ours ${list(ours)}; ip ${list(theirs)}`);
}

async function measureOurs(
  kernel: NetlinkKernel,
  ips: readonly Ip[],
  longestTurns: number[],
): Promise<Record<Operation, readonly Cost[]>> {
  const addresses = ips.map(wantedAddress);
  const additions = addresses.map((address) => ({ kind: 'add', address }) as const);
  const removals = addresses.map((address) => ({ kind: 'remove', address }) as const);
  const delays = monitorEventLoopDelay({ resolution: 1 });
  delays.enable();
  const add = await costOf(() => applyAll(kernel, additions));
  delays.disable();
  longestTurns.push(delays.max / 1e6);
  const read: Cost[] = [];
  for (let count = 0; count < reads; count++) {
    read.push(await costOf(() => readAll(kernel, ips.length)));
  }
  return { add: [add], read, remove: [await costOf(() => applyAll(kernel, removals))] };
}

async function applyAll(kernel: NetlinkKernel, changes: readonly AddressChange[]): Promise<void> {
  const [failure] = await kernel.apply(changes);
  if (failure !== undefined) throw new Error(`${failure.change.kind} failed: ${failure.words}`);
}

async function readAll(kernel: NetlinkKernel, count: number): Promise<void> {
  const ours = (await kernel.addresses()).filter(({ isOurs }) => isOurs);
  if (ours.length !== count) throw new Error(`${ours.length} of ${count} addresses read`);
}

function wantedAddress(ip: Ip): WantedAddress {
  const prefixLength = ip.includes(':') ? 128 : 32;
  const lifetime = { validSeconds: 3600, preferredSeconds: 3600 };
  return { link, ip, prefixLength, ...lifetime, noPrefixRoute: true, noDad: true };
}

/** The same attributes but the protocol number, which this iproute2 cannot set. */
function measureIp(
  ips: readonly Ip[],
  family: Family,
  scratch: string,
): Record<Operation, readonly Cost[]> {
  const flags = family === 'ipv6' ? 'nodad noprefixroute' : 'noprefixroute';
  const options = `metric 7472 valid_lft 3600 preferred_lft 3600 ${flags}`;
  const length = family === 'ipv6' ? 128 : 32;
  const additions = join(scratch, 'add');
  const removals = join(scratch, 'remove');
  const lines = (line: (ip: Ip) => string) => `${ips.map(line).join('\n')}\n`;
  writeFileSync(
    additions,
    lines((ip) => `addr add ${ip}/${length} dev ${link} ${options}`),
  );
  writeFileSync(
    removals,
    lines((ip) => `addr del ${ip}/${length} dev ${link}`),
  );
  return {
    add: [costOfCommand(`ip -batch ${additions}`)],
    read: Array.from({ length: reads }, () => costOfCommand('ip -o addr show')),
    remove: [costOfCommand(`ip -batch ${removals}`)],
  };
}

/** IPv4 from the range for benchmarks (RFC 2544), since the documentation ranges are too small. */
function addressesOf({ family, count }: Load): readonly Ip[] {
  const first = ipToBigInt(ipOf(family === 'ipv4' ? '198.18.0.1' : '2001:db8::1'));
  return Array.from({ length: count }, (_, index) => ipFromBigInt(family, first + BigInt(index)));
}
