/** Frames that ask who holds an address, or whether its holder lives. */

import { familyOf, type Ip } from '../model/ip.ts';
import { broadcastMac, type Mac } from '../model/mac.ts';
import {
  type ArpFrame,
  type EchoRequest,
  type NeighbourFrame,
  type NeighbourSolicitation,
  unspecifiedIp,
  unspecifiedMac,
} from '../model/neighbour-frame.ts';
import { multicastMac, solicitedNodeAddress } from './multicast.ts';

export interface Probe {
  /** The address asked for. */
  readonly ip: Ip;
  /** Our own. */
  readonly mac: Mac;
  /** The one host to ask; all if absent. */
  readonly to?: Mac;
  /** Our address. Absent: a probe proper, that claims nothing and leaves no trace in the caches of others. */
  readonly source?: Ip;
}

export function probeFrame(probe: Probe): NeighbourFrame {
  return familyOf(probe.ip) === 'ipv4' ? arpProbe(probe) : solicitation(probe);
}

/** RFC 5227 1.1 if it has no source. */
function arpProbe({ ip, mac, to = broadcastMac, source = unspecifiedIp.ipv4 }: Probe): ArpFrame {
  return {
    kind: 'arp',
    from: mac,
    to,
    operation: 'request',
    sender: { mac, ip: source },
    target: { mac: unspecifiedMac, ip },
  };
}

/**
 * Without a source the packet must go to the solicited-node group (RFC 4861 7.1.1), even inside a frame to one host
 * (RFC 6085).
 */
function solicitation({ ip, mac, to, source }: Probe): NeighbourSolicitation {
  const group = solicitedNodeAddress(ip);
  return {
    kind: 'neighbour-solicitation',
    from: mac,
    to: to ?? multicastMac(group),
    source: source ?? unspecifiedIp.ipv6,
    destination: to === undefined || source === undefined ? group : ip,
    target: ip,
    ...(source === undefined ? {} : { sourceMac: mac }),
  };
}

export interface EchoProbe {
  readonly ip: Ip;
  readonly mac: Mac;
  readonly to: Mac;
  readonly source: Ip;
  readonly identifier: number;
  readonly sequence: number;
}

export function echoFrame({ ip, mac, to, source, identifier, sequence }: EchoProbe): EchoRequest {
  return { kind: 'echo-request', from: mac, to, source, destination: ip, identifier, sequence };
}
