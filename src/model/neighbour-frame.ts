/** What the hosts of one Ethernet segment say to find each other, reduced to what is said. */

import { type Ip, ipOf } from './ip.ts';
import { type Mac, macOf } from './mac.ts';

export type NeighbourFrame =
  | ArpFrame
  | NeighbourSolicitation
  | NeighbourAdvertisement
  | EchoRequest
  | EchoReply;

/** An address and the link-layer address that answers for it. */
export interface Station {
  readonly ip: Ip;
  readonly mac: Mac;
}

interface Envelope {
  /** Ethernet source. */
  readonly from: Mac;
  /** Ethernet destination. */
  readonly to: Mac;
}

interface Datagram extends Envelope {
  readonly source: Ip;
  readonly destination: Ip;
}

export interface ArpFrame extends Envelope {
  readonly kind: 'arp';
  readonly operation: 'request' | 'reply';
  readonly sender: Station;
  readonly target: Station;
}

export interface NeighbourSolicitation extends Datagram {
  readonly kind: 'neighbour-solicitation';
  readonly target: Ip;
  /** Of the asker; absent in duplicate address detection. */
  readonly sourceMac?: Mac;
}

export interface NeighbourAdvertisement extends Datagram {
  readonly kind: 'neighbour-advertisement';
  readonly target: Ip;
  /** Linux leaves it out when it was asked by unicast. */
  readonly targetMac?: Mac;
  readonly isRouter: boolean;
  readonly isSolicited: boolean;
  /** Asks the hearer to replace the link-layer address it knows. */
  readonly overrides: boolean;
}

interface Echo extends Datagram {
  readonly identifier: number;
  readonly sequence: number;
}

export interface EchoRequest extends Echo {
  readonly kind: 'echo-request';
}

export interface EchoReply extends Echo {
  readonly kind: 'echo-reply';
}

export const unspecifiedIp = { ipv4: ipOf('0.0.0.0'), ipv6: ipOf('::') } as const;
export const unspecifiedMac = macOf('00:00:00:00:00:00');

/** Who says to be where; undefined for a probe, whose sender does not hold what it asks for. */
export function claimIn(frame: NeighbourFrame): Station | undefined {
  switch (frame.kind) {
    case 'arp':
      return stationUnlessUnspecified(frame.sender);
    case 'neighbour-solicitation':
      return stationUnlessUnspecified({ ip: frame.source, mac: frame.sourceMac ?? frame.from });
    case 'neighbour-advertisement':
      return { ip: frame.target, mac: frame.targetMac ?? frame.from };
    case 'echo-request':
    case 'echo-reply':
      return { ip: frame.source, mac: frame.from };
    default:
      return frame satisfies never;
  }
}

/** The MAC that the content of a frame names as its sender's; undefined where only the Ethernet header names one. */
export function namedMac(frame: NeighbourFrame): Mac | undefined {
  switch (frame.kind) {
    case 'arp':
      return frame.sender.mac;
    case 'neighbour-solicitation':
      return frame.sourceMac;
    case 'neighbour-advertisement':
      return frame.targetMac;
    case 'echo-request':
    case 'echo-reply':
      return undefined;
    default:
      return frame satisfies never;
  }
}

/** The address whose holder the frame asks for; a gratuitous ARP request asks for none. */
export function questionIn(frame: NeighbourFrame): Ip | undefined {
  if (frame.kind === 'neighbour-solicitation') return frame.target;
  if (frame.kind !== 'arp' || frame.operation !== 'request') return undefined;
  return frame.sender.ip === frame.target.ip ? undefined : frame.target.ip;
}

/** To a probe that somebody sent. */
export function isReply(frame: NeighbourFrame): boolean {
  if (frame.kind === 'arp') return frame.operation === 'reply' && !isGratuitous(frame);
  return frame.kind === 'neighbour-advertisement' && frame.isSolicited;
}

/** An announcement that nobody asked for. */
export function isGratuitous(frame: NeighbourFrame): boolean {
  if (frame.kind === 'arp') return frame.sender.ip === frame.target.ip;
  return frame.kind === 'neighbour-advertisement' && !frame.isSolicited;
}

function stationUnlessUnspecified(station: Station): Station | undefined {
  const isUnspecified = station.ip === unspecifiedIp.ipv4 || station.ip === unspecifiedIp.ipv6;
  return isUnspecified ? undefined : station;
}
