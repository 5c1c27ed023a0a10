/** Neighbour solicitation and advertisement (RFC 4861 4.3, 4.4), with the checks of 7.1.1 and 7.1.2. */

import { type Ip, ipFromBytes, ipToBytes } from '../model/ip.ts';
import { unspecifiedIp } from '../model/neighbour-frame.ts';
import { ByteReader } from './byte-reader.ts';
import { ByteWriter } from './byte-writer.ts';
import type { IcmpMessage } from './icmp.ts';
import type { Ipv6Packet } from './ipv6.ts';
import { isMulticastIpv6, solicitedNodeAddress } from './multicast.ts';
import { decodeNdpOptions, encodeNdpOptions, type NdpOption } from './ndp-option.ts';
import { WireError } from './wire-error.ts';

export type NdpMessage = Solicitation | Advertisement;

export interface Solicitation {
  readonly kind: 'solicitation';
  readonly target: Ip;
  readonly options: readonly NdpOption[];
}

export interface Advertisement {
  readonly kind: 'advertisement';
  readonly isRouter: boolean;
  readonly isSolicited: boolean;
  readonly overrides: boolean;
  readonly target: Ip;
  readonly options: readonly NdpOption[];
}

export const NdpType = { solicitation: 135, advertisement: 136 } as const;

/** No router lets it pass, so a packet that has it was sent on this link. */
export const ndpHopLimit = 255;

const ROUTER = 0x80000000;
const SOLICITED = 0x40000000;
const OVERRIDE = 0x20000000;

export function encodeNdp(message: NdpMessage): IcmpMessage {
  const body = new ByteWriter(32)
    .u32be(message.kind === 'advertisement' ? flagsOf(message) : 0)
    .bytes(ipToBytes(message.target))
    .bytes(encodeNdpOptions(message.options))
    .finish();
  return { type: NdpType[message.kind], code: 0, body };
}

function flagsOf({ isRouter, isSolicited, overrides }: Advertisement): number {
  return (isRouter ? ROUTER : 0) + (isSolicited ? SOLICITED : 0) + (overrides ? OVERRIDE : 0);
}

type Around = Pick<Ipv6Packet, 'source' | 'destination' | 'hopLimit'>;

/** `undefined` for any other ICMPv6 message; `around` is the packet that carried it. */
export function decodeNdp(icmp: IcmpMessage, around: Around): NdpMessage | undefined {
  const { type } = icmp;
  if (type !== NdpType.solicitation && type !== NdpType.advertisement) return undefined;
  const reader = new ByteReader(icmp.body, 'NDP message');
  const flags = reader.u32be();
  const target = ipFromBytes(reader.bytes(16));
  const options = decodeNdpOptions(reader.rest());
  refuseIf(around.hopLimit !== ndpHopLimit, `hop limit is ${around.hopLimit}`);
  refuseIf(icmp.code !== 0, `code is ${icmp.code}`);
  refuseIf(isMulticastIpv6(target), 'target is multicast');
  if (type === NdpType.solicitation) {
    refuseBadProbe(around, options);
    return { kind: 'solicitation', target, options };
  }
  const isSolicited = (flags & SOLICITED) !== 0;
  refuseIf(isSolicited && isMulticastIpv6(around.destination), 'solicited, yet sent to a group');
  const isRouter = (flags & ROUTER) !== 0;
  const overrides = (flags & OVERRIDE) !== 0;
  return { kind: 'advertisement', isRouter, isSolicited, overrides, target, options };
}

/** A solicitation without a source address is duplicate address detection. */
function refuseBadProbe(around: Around, options: readonly NdpOption[]): void {
  if (around.source !== unspecifiedIp.ipv6) return;
  const isSolicitedNode = around.destination === solicitedNodeAddress(around.destination);
  refuseIf(!isSolicitedNode, 'probe not sent to a solicited-node group');
  refuseIf(
    options.some(({ kind }) => kind === 'source-mac'),
    'probe with a source link-layer address',
  );
}

function refuseIf(condition: boolean, what: string): void {
  if (condition) throw new WireError('WIRE_MALFORMED', `NDP message: ${what}`);
}
