/** A pod's network: a namespace of its own, held by a process that does nothing, and a cable to its node. */

import { familyOf, type Ip, ipFromBigInt, ipToBigInt } from '../../src/model/ip.ts';
import { networkOf, type Prefix } from '../../src/model/prefix.ts';
import { HostProcess } from '../process/host-process.ts';
import { run } from '../process/run.ts';

/** Of each of these the cable's other end must have another index: see `network-commands.ts`. */
const podLinkIndex = 1001;
const podLink = 'eth0';
const nodeEnd = 'fe80::1';
const mtu = 1500;

/** The n-th address of a subnet. 1 is the node's own end of all cables. */
export function podIp(subnet: Prefix, number: number): Ip {
  const { ip } = networkOf(subnet);
  return ipFromBigInt(familyOf(ip), ipToBigInt(ip) + BigInt(number));
}

export interface PodPlace {
  /** Number of the pod on its node, from 2 on. */
  readonly number: number;
  readonly subnets: readonly Prefix[];
}

/** `ip -batch` text for the node: the cable, the node's end of it, and the way to the pod. */
export function nodeBatch({ number, subnets }: PodPlace, pid: number): string {
  const link = `pod${number}`;
  return batch([
    `link add name ${podLink} index ${podLinkIndex} netns ${pid} mtu ${mtu} type veth peer name ${link} mtu ${mtu}`,
    `link set ${link} up`,
    `address add ${nodeEnd}/64 dev ${link} nodad`,
    ...subnets.flatMap((subnet) => {
      const isV4 = familyOf(subnet.ip) === 'ipv4';
      const own = isV4 ? [`address add ${podIp(subnet, 1)}/32 dev ${link}`] : [];
      return [...own, `route replace ${podIp(subnet, number)}/${isV4 ? 32 : 128} dev ${link}`];
    }),
  ]);
}

/** `ip -batch` text for the pod. */
export function podBatch({ number, subnets }: PodPlace): string {
  return batch([
    'link set lo up',
    `link set ${podLink} up`,
    ...subnets.flatMap((subnet) => {
      const ip = podIp(subnet, number);
      if (familyOf(ip) === 'ipv6')
        return [
          `address add ${ip}/128 dev ${podLink} nodad`,
          `route add default via ${nodeEnd} dev ${podLink}`,
        ];
      const node = podIp(subnet, 1);
      return [
        `address add ${ip}/32 dev ${podLink}`,
        `route add ${node}/32 dev ${podLink} scope link`,
        `route add default via ${node}`,
      ];
    }),
  ]);
}

function batch(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join('');
}

export interface PodNetwork {
  readonly ips: readonly Ip[];
  /** Leads into it. */
  readonly entry: readonly string[];
  /** Of the process that holds it. */
  readonly pid: number;
  /** The namespace goes with its last process, and the cable with the namespace. */
  remove(): Promise<void>;
}

/** Called on the pod's node. */
export async function makePodNetwork(place: PodPlace): Promise<PodNetwork> {
  const hold = ['unshare', '--net', 'sh', '-c', 'echo held; exec sleep infinity'];
  const holder = await HostProcess.start([], hold, { ready: /^held$/, readyWithinMs: 20_000 });
  const entry = ['nsenter', '-t', String(holder.pid), '-n'];
  try {
    await run(['ip', '-batch', '-'], { input: nodeBatch(place, holder.pid) });
    await run([...entry, 'ip', '-batch', '-'], { input: podBatch(place) });
  } catch (error) {
    await holder.kill();
    throw error;
  }
  return {
    ips: place.subnets.map((subnet) => podIp(subnet, place.number)),
    entry,
    pid: holder.pid,
    remove: async () => {
      await holder.kill();
    },
  };
}
