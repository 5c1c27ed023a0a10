/**
 * ARP suppression as the leaves of an EVPN fabric have it: the switch answers for what is in its table, and floods no
 * question to hosts behind the fabric. A probe without a sender reaches them not at all, and nobody answers it.
 */

import type { Ip } from '../../src/model/ip.ts';
import type { Nic } from '../network/host.ts';
import type { Segment } from '../network/segment.ts';
import { run } from '../process/run.ts';
import { type Fault, inflict } from './fault.ts';

/** The NIC is behind the fabric, and the switch believes that it has these addresses until it is healed. */
export async function suppressArp(nic: Nic, ips: readonly Ip[]): Promise<Fault> {
  const { segment, port } = nic;
  const set = async (how: 'on' | 'off') => {
    await run([
      'bridge',
      '-n',
      segment.namespace,
      'link',
      'set',
      'dev',
      port,
      'neigh_suppress',
      how,
    ]);
  };
  const table = async (line: (ip: Ip) => string) => {
    const input = ips.map((ip) => `neighbour ${line(ip)}\n`).join('');
    await run(['ip', '-n', segment.namespace, '-batch', '-'], { input });
  };
  return inflict(`suppressed ARP for ${nic.host.name}`, {
    impose: async () => {
      const entry = `lladdr ${nic.plan.mac} dev ${segment.bridge} nud permanent`;
      await speakIpv6(segment);
      await table((ip) => `replace ${ip} ${entry}`);
      await set('on');
    },
    lift: async () => {
      await table((ip) => `delete ${ip} dev ${segment.bridge}`);
      await set('off');
    },
  });
}

/** A bridge that has IPv6 switched off has no table for it; without an address of its own it still says nothing. */
async function speakIpv6({ namespace, bridge }: Segment): Promise<void> {
  const script = 'cd "/proc/sys/net/ipv6/conf/$1"; echo 1 > addr_gen_mode; echo 0 > disable_ipv6';
  await run(['ip', 'netns', 'exec', namespace, 'sh', '-ec', script, 'sh', bridge]);
}
