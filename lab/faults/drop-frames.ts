import type { Nic } from '../network/host.ts';
import type { Fault } from './fault.ts';
import { inflictOnWire } from './wire-fault.ts';

export interface DropOptions {
  /** What this NIC sends. With `to` as well: only what it sends to that one, broadcasts included. */
  readonly from?: Nic;
  /** What is on its way to this NIC. */
  readonly to?: Nic;
  /** Which part of the frames is lost, at random: 0.1 is every tenth. All of them by default. */
  readonly share?: number;
  /** nft expression for the frames concerned, such as `ether type arp` or `udp dport 7777`; all by default. */
  readonly match?: string;
}

/**
 * Drops frames in one direction, on the wire: the sender's kernel believes that they went out. Delay is not to be
 * had: it takes the kernel's netem, which nft cannot replace.
 */
export async function dropFrames(options: DropOptions): Promise<Fault> {
  const { from, to } = options;
  const nic = to ?? from;
  if (nic === undefined) throw new TypeError('say whose frames to drop: `from`, `to`, or both');
  // A broadcast reaches several ports, so what is meant for one receiver is dropped at the receiver's.
  const isPair = from !== undefined && to !== undefined;
  if (isPair && from.segment !== to.segment)
    throw new RangeError(`${from.host.name} and ${to.host.name} share no segment`);
  const matches = [
    ...(isPair ? [`ether saddr ${from.plan.mac}`] : []),
    ...(options.match === undefined ? [] : [options.match]),
    ...(options.share === undefined ? [] : [lossExpression(options.share)]),
  ];
  const direction = to === undefined ? 'from' : 'to';
  return inflictOnWire(`dropped frames ${describe(options)}`, [
    { segment: nic.segment, fault: { kind: 'drop', port: nic.port, direction, matches } },
  ]);
}

const resolution = 10_000;

/** nft's random numbers stand in for netem's loss. */
export function lossExpression(share: number): string {
  if (!(share > 0 && share <= 1))
    throw new RangeError(`a share is above 0 and up to 1, not ${share}`);
  return `numgen random mod ${resolution} < ${Math.round(share * resolution)}`;
}

function describe({ from, to, share = 1, match }: DropOptions): string {
  const parts = [
    from === undefined ? '' : `from ${from.host.name}`,
    to === undefined ? '' : `to ${to.host.name}`,
    match === undefined ? '' : `(${match})`,
    share === 1 ? '' : `${share * 100} %`,
  ];
  return parts.filter((part) => part !== '').join(' ');
}
