import { broadcastMac, isGroupMac, type Mac } from '../model/mac.ts';
import { type NeighbourFrame, namedMac, unspecifiedMac } from '../model/neighbour-frame.ts';
import { ArpOperation, decodeArp } from './arp.ts';
import { decodeEthernet, EtherType } from './ethernet.ts';
import { decodeIcmp, type IcmpMessage, icmpProtocol } from './icmp.ts';
import { decodeEcho } from './icmp-echo.ts';
import { decodeIpv4, Ipv4Fragment } from './ipv4.ts';
import { decodeIpv6, type Ipv6Packet } from './ipv6.ts';
import { decodeNdp } from './ndp.ts';
import type { NdpOption } from './ndp-option.ts';
import { WireError } from './wire-error.ts';

interface Envelope {
  readonly from: Mac;
  readonly to: Mac;
}

/**
 * What the frame says, or undefined if it is of no kind that we care about: other protocols, and frames tagged for
 * a VLAN, which belong to another link. A frame of our kinds that is not valid throws a WireError.
 */
export function decodeFrame(bytes: Uint8Array): NeighbourFrame | undefined {
  const { destination, source, tags, etherType, payload } = decodeEthernet(bytes);
  if (tags.some(({ vlan }) => vlan !== 0)) return undefined;
  const envelope = { from: source, to: destination };
  const frame = decodePayload(envelope, etherType, payload);
  if (frame !== undefined) refuseImpossibleMacs(frame);
  return frame;
}

/** IEEE 802.3, 3.2.3: a group is never a source. No host is at the address that means "none" or "everyone". */
function refuseImpossibleMacs(frame: NeighbourFrame): void {
  const { from } = frame;
  const named = namedMac(frame) ?? from;
  const isPossible = !isGroupMac(from) && from !== unspecifiedMac;
  if (isPossible && named !== unspecifiedMac && named !== broadcastMac) return;
  throw new WireError('WIRE_MALFORMED', `frame from ${from}, of ${named}: no host has that MAC`);
}

function decodePayload(
  envelope: Envelope,
  etherType: number,
  payload: Uint8Array,
): NeighbourFrame | undefined {
  switch (etherType) {
    case EtherType.arp:
      return decodeArpFrame(envelope, payload);
    case EtherType.ipv4:
      return decodeIpv4Frame(envelope, payload);
    case EtherType.ipv6:
      return decodeIpv6Frame(envelope, payload);
    default:
      return undefined;
  }
}

function decodeArpFrame(envelope: Envelope, payload: Uint8Array): NeighbourFrame | undefined {
  const arp = decodeArp(payload);
  if (arp === undefined) return undefined;
  const { sender, target } = arp;
  switch (arp.operation) {
    case ArpOperation.request:
      return { kind: 'arp', ...envelope, operation: 'request', sender, target };
    case ArpOperation.reply:
      return { kind: 'arp', ...envelope, operation: 'reply', sender, target };
    default:
      return undefined;
  }
}

function decodeIpv4Frame(envelope: Envelope, payload: Uint8Array): NeighbourFrame | undefined {
  const packet = decodeIpv4(payload);
  const isFragment = (packet.fragment & (Ipv4Fragment.more | Ipv4Fragment.offset)) !== 0;
  if (packet.protocol !== icmpProtocol.ipv4 || isFragment) return undefined;
  const echo = decodeEcho(decodeIcmp(packet.payload, packet), 'ipv4');
  if (echo === undefined) return undefined;
  const { kind, identifier, sequence } = echo;
  return { kind, ...envelope, ...pathOf(packet), identifier, sequence };
}

function decodeIpv6Frame(envelope: Envelope, payload: Uint8Array): NeighbourFrame | undefined {
  const packet = decodeIpv6(payload);
  if (packet.nextHeader !== icmpProtocol.ipv6) return undefined;
  const icmp = decodeIcmp(packet.payload, packet);
  const echo = decodeEcho(icmp, 'ipv6');
  if (echo === undefined) return decodeNdpFrame(envelope, packet, icmp);
  const { kind, identifier, sequence } = echo;
  return { kind, ...envelope, ...pathOf(packet), identifier, sequence };
}

function decodeNdpFrame(
  envelope: Envelope,
  packet: Ipv6Packet,
  icmp: IcmpMessage,
): NeighbourFrame | undefined {
  const ndp = decodeNdp(icmp, packet);
  if (ndp === undefined) return undefined;
  const { target } = ndp;
  const common = { ...envelope, ...pathOf(packet), target };
  if (ndp.kind === 'solicitation') {
    const sourceMac = macIn(ndp.options, 'source-mac');
    return {
      kind: 'neighbour-solicitation',
      ...common,
      ...(sourceMac === undefined ? {} : { sourceMac }),
    };
  }
  const { isRouter, isSolicited, overrides } = ndp;
  const targetMac = macIn(ndp.options, 'target-mac');
  return {
    kind: 'neighbour-advertisement',
    ...common,
    isRouter,
    isSolicited,
    overrides,
    ...(targetMac === undefined ? {} : { targetMac }),
  };
}

function pathOf({ source, destination }: Pick<Ipv6Packet, 'source' | 'destination'>) {
  return { source, destination };
}

function macIn(options: readonly NdpOption[], kind: 'source-mac' | 'target-mac'): Mac | undefined {
  for (const option of options) if (option.kind === kind) return option.mac;
  return undefined;
}
