/** Frames of a host that floods the LAN: each has a MAC that no other has. */

import { familyOf, type Ip } from '../../src/model/ip.ts';
import { broadcastMac, type Mac, macOf, macToBytes } from '../../src/model/mac.ts';
import {
  type EchoReply,
  type NeighbourFrame,
  unspecifiedMac,
} from '../../src/model/neighbour-frame.ts';
import { announcementFrames } from '../../src/wire/announcement.ts';
import { encodeFrame } from '../../src/wire/encode-frame.ts';
import { probeFrame } from '../../src/wire/probe.ts';

export const floodKinds = [
  'probes',
  'replies',
  'announcements',
  'spoofed-announcements',
  'echo-replies',
] as const;
export type FloodKind = (typeof floodKinds)[number];

export interface FloodTarget {
  /** Addresses of the cluster, of either family. */
  readonly ips: readonly Ip[];
  /** A node, for what goes to one host. */
  readonly node: { readonly ip: Ip; readonly mac: Mac };
  /** In whose name `spoofed-announcements` are sent. */
  readonly spoofed: readonly Mac[];
  /** Sends every frame to the node alone: one agent then gets more frames than a switch can copy to everyone. */
  readonly isUnicast: boolean;
}

/** So many different ones, encoded: what is sent beyond that begins again. */
export function encodeFlood(kind: FloodKind, target: FloodTarget, count: number): Uint8Array[] {
  const encoded: Uint8Array[] = [];
  for (let number = 0; encoded.length < count; number += 1) {
    const ip = target.ips[number % target.ips.length];
    if (ip === undefined) throw new RangeError('a flood needs an address');
    const frames = framesOf(kind, { ip, number, mac: numberedMac(number) }, target);
    encoded.push(...frames.map(encodeFrame));
  }
  if (target.isUnicast) for (const frame of encoded) frame.set(macToBytes(target.node.mac));
  return encoded;
}

interface One {
  readonly ip: Ip;
  readonly number: number;
  readonly mac: Mac;
}

function framesOf(kind: FloodKind, one: One, target: FloodTarget): readonly NeighbourFrame[] {
  const { ip, mac, number } = one;
  switch (kind) {
    case 'probes':
      return [probeFrame({ ip, mac })];
    case 'announcements':
      return announcementFrames({ ip, mac });
    case 'spoofed-announcements': {
      const spoofed = target.spoofed[number % target.spoofed.length] ?? mac;
      return announcementFrames({ ip, mac: spoofed });
    }
    case 'replies':
      return [replyOf(one, target)];
    case 'echo-replies':
      return [echoReplyOf(one, target)];
    default:
      return kind satisfies never;
  }
}

/** As to a question that the node asked everyone. */
function replyOf({ ip, mac }: One, { node }: FloodTarget): NeighbourFrame {
  if (familyOf(ip) === 'ipv6') {
    const [advertisement] = announcementFrames({ ip, mac });
    if (advertisement === undefined) throw new RangeError(`nothing announces ${ip}`);
    return advertisement;
  }
  return {
    kind: 'arp',
    operation: 'reply',
    from: mac,
    to: broadcastMac,
    sender: { ip, mac },
    target: { ip: node.ip, mac: unspecifiedMac },
  };
}

function echoReplyOf({ mac, number }: One, { node, ips }: FloodTarget): EchoReply {
  const source = ips.find((ip) => familyOf(ip) === familyOf(node.ip)) ?? node.ip;
  const path = { from: mac, to: node.mac, source, destination: node.ip };
  return { kind: 'echo-reply', ...path, identifier: number % 65_536, sequence: number % 65_536 };
}

/** Of a private use (IEEE 802c), and of no host of the lab. */
export function numberedMac(number: number): Mac {
  const digits = number.toString(16).padStart(8, '0').match(/../g) ?? [];
  return macOf(['06', '66', ...digits].join(':'));
}
