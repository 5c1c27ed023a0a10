/** What a host's kernel has, in words that compare well, and what is done to it in scenarios. */

import { readFileSync } from 'node:fs';
import type { Host } from '../../lab/network/host.ts';
import type { HostProcess } from '../../lab/process/host-process.ts';

interface IpAddress {
  readonly local: string;
  readonly prefixlen: number;
  readonly scope: string;
  readonly secondary?: boolean;
  readonly noprefixroute?: boolean;
  readonly valid_life_time: number;
}

/** Addresses of a link but link-local ones, in the kernel's order: the primary of a prefix before the others. */
export async function addressesOn(host: Host, link = 'eth0'): Promise<readonly IpAddress[]> {
  const { stdout } = await host.run(['ip', '-json', 'address', 'show', 'dev', link]);
  const [found] = JSON.parse(stdout) as { readonly addr_info: readonly IpAddress[] }[];
  return (found?.addr_info ?? []).filter(({ scope }) => scope === 'global');
}

/** `192.0.2.11/24` for each IPv4 address of a link that is not secondary. */
export async function primariesOn(host: Host, link = 'eth0'): Promise<readonly string[]> {
  const found = await addressesOn(host, link);
  return found
    .filter(({ local, secondary }) => secondary !== true && !local.includes(':'))
    .map(({ local, prefixlen }) => `${local}/${prefixlen}`);
}

export async function addressOn(
  host: Host,
  ip: string,
  link = 'eth0',
): Promise<IpAddress | undefined> {
  return (await addressesOn(host, link)).find(({ local }) => local === ip);
}

/** The settings that load balancers like to change, of every link that is there. */
export async function arpSettings(host: Host): Promise<string> {
  const names = ['rp_filter', 'arp_ignore', 'arp_announce', 'promote_secondaries', 'forwarding'];
  const script = `cd /proc/sys/net/ipv4/conf && for link in all default lo eth0; do
    for name in ${names.join(' ')}; do echo "$link $name $(cat "$link/$name")"; done; done`;
  return (await host.run(['sh', '-c', script])).stdout;
}

/** Carries out lines for `ip -batch`, in one process and hence with next to no time between them. */
export async function ipBatch(host: Host, ...lines: readonly string[]): Promise<void> {
  await host.run(['ip', '-batch', '-'], { input: `${lines.join('\n')}\n` });
}

/** A link that carries nothing, as kernels have it: of kind `dummy`, or else `ifb`. */
export async function addIdleLink(host: Host, name: string): Promise<void> {
  const made = await host.attempt(['ip', 'link', 'add', name, 'type', 'dummy']);
  if (made.status !== 0) await host.run(['ip', 'link', 'add', name, 'type', 'ifb']);
  await host.run(['ip', 'link', 'set', name, 'up']);
}

/** CPU time of a process so far. */
export function cpuMs({ pid }: HostProcess): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const ticks = Number(fields[11]) + Number(fields[12]);
  return ticks * 10;
}
