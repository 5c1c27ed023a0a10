/** The filters of the sockets that listen to neighbours: nothing else gets to us. */

import {
  Ancillary,
  assemble,
  indexByHeaderLength,
  jumpIfAnyBit,
  jumpIfEqual,
  keep,
  label,
  load,
  loadIndexed,
} from './bpf.ts';
import { EtherType } from './ethernet.ts';
import { icmpProtocol } from './icmp.ts';
import { echoType } from './icmp-echo.ts';
import { Ipv4Fragment } from './ipv4.ts';
import { NdpType } from './ndp.ts';

const PACKET_OUTGOING = 4;
const wholeFrame = 0x40000;

/** Offsets from the start of the Ethernet header; `X` marks those that an IPv4 header's length is added to. */
const at = {
  etherType: 12,
  ipv4Header: 14,
  ipv4Fragment: 20,
  ipv4Protocol: 23,
  icmpTypeX: 14,
  echoIdentifierX: 18,
  ipv6NextHeader: 20,
  icmpv6Type: 54,
  echov6Identifier: 58,
} as const;

/** Begins at the label `untagged` where frames are of this very link, and not ones that we sent ourselves. */
const ownFramesOnly = [
  load('word', Ancillary.packetType),
  jumpIfEqual(PACKET_OUTGOING, { yes: 'drop' }),
  load('word', Ancillary.isVlanTagPresent),
  jumpIfEqual(0, { yes: 'untagged' }),
  load('word', Ancillary.vlanTag),
  jumpIfAnyBit(0x0fff, { yes: 'drop' }),
  label('untagged'),
  load('half', at.etherType),
];

const verdicts = [label('accept'), keep(wholeFrame), label('drop'), keep(0)];

/**
 * Accepts ARP, neighbour solicitations and advertisements. Drops what we send ourselves, and frames of a VLAN: the
 * kernel shows them to the socket of the link below with their tag taken off, though they belong to another link. (A
 * tag for VLAN 0 is a priority only.)
 */
export function neighbourFilter(): Uint8Array {
  return assemble([
    ...ownFramesOnly,
    jumpIfEqual(EtherType.arp, { yes: 'accept' }),
    jumpIfEqual(EtherType.ipv6, { no: 'drop' }),
    load('byte', at.ipv6NextHeader),
    jumpIfEqual(icmpProtocol.ipv6, { no: 'drop' }),
    load('byte', at.icmpv6Type),
    jumpIfEqual(NdpType.solicitation, { yes: 'accept' }),
    jumpIfEqual(NdpType.advertisement, { yes: 'accept', no: 'drop' }),
    ...verdicts,
  ]);
}

/** Accepts echo replies whose identifier is ours, of the same frames. */
export function echoFilter(identifier: number): Uint8Array {
  return assemble([
    ...ownFramesOnly,
    jumpIfEqual(EtherType.ipv6, { yes: 'ipv6' }),
    jumpIfEqual(EtherType.ipv4, { no: 'drop' }),

    load('byte', at.ipv4Protocol),
    jumpIfEqual(icmpProtocol.ipv4, { no: 'drop' }),
    load('half', at.ipv4Fragment),
    jumpIfAnyBit(Ipv4Fragment.more | Ipv4Fragment.offset, { yes: 'drop' }),
    indexByHeaderLength(at.ipv4Header),
    loadIndexed('byte', at.icmpTypeX),
    jumpIfEqual(echoType.ipv4['echo-reply'], { no: 'drop' }),
    loadIndexed('half', at.echoIdentifierX),
    jumpIfEqual(identifier, { yes: 'accept', no: 'drop' }),

    label('ipv6'),
    load('byte', at.ipv6NextHeader),
    jumpIfEqual(icmpProtocol.ipv6, { no: 'drop' }),
    load('byte', at.icmpv6Type),
    jumpIfEqual(echoType.ipv6['echo-reply'], { no: 'drop' }),
    load('half', at.echov6Identifier),
    jumpIfEqual(identifier, { yes: 'accept', no: 'drop' }),
    ...verdicts,
  ]);
}
