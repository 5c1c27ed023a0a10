import { familyOf } from '../model/ip.ts';
import type { Mac } from '../model/mac.ts';
import type { NeighbourFrame } from '../model/neighbour-frame.ts';
import { ArpOperation, encodeArp } from './arp.ts';
import { EtherType, encodeEthernet } from './ethernet.ts';
import { encodeIcmp, type IcmpMessage, type IpPath, icmpProtocol } from './icmp.ts';
import { encodeEcho } from './icmp-echo.ts';
import { encodeIpv4, Ipv4Fragment } from './ipv4.ts';
import { encodeIpv6 } from './ipv6.ts';
import { encodeNdp, ndpHopLimit } from './ndp.ts';
import type { NdpOption } from './ndp-option.ts';

const nothing = new Uint8Array(0);
const ordinaryHopLimit = 64;

export function encodeFrame(frame: NeighbourFrame): Uint8Array {
  switch (frame.kind) {
    case 'arp': {
      const operation = ArpOperation[frame.operation];
      return envelop(frame, EtherType.arp, encodeArp({ ...frame, operation }));
    }
    case 'neighbour-solicitation': {
      const options = macOption('source-mac', frame.sourceMac);
      const icmp = encodeNdp({ kind: 'solicitation', target: frame.target, options });
      return envelop(frame, EtherType.ipv6, packet(frame, icmp, ndpHopLimit));
    }
    case 'neighbour-advertisement': {
      const options = macOption('target-mac', frame.targetMac);
      const icmp = encodeNdp({ ...frame, kind: 'advertisement', options });
      return envelop(frame, EtherType.ipv6, packet(frame, icmp, ndpHopLimit));
    }
    case 'echo-request':
    case 'echo-reply': {
      const family = familyOf(frame.source);
      const icmp = encodeEcho({ ...frame, data: nothing }, family);
      return envelop(frame, EtherType[family], packet(frame, icmp, ordinaryHopLimit));
    }
    default:
      return frame satisfies never;
  }
}

function envelop(frame: NeighbourFrame, etherType: number, payload: Uint8Array): Uint8Array {
  return encodeEthernet({
    destination: frame.to,
    source: frame.from,
    tags: [],
    etherType,
    payload,
  });
}

function packet(path: IpPath, icmp: IcmpMessage, hopLimit: number): Uint8Array {
  const { source, destination } = path;
  const common = { source, destination, trafficClass: 0, payload: encodeIcmp(icmp, path) };
  if (familyOf(source) === 'ipv6') {
    return encodeIpv6({ ...common, nextHeader: icmpProtocol.ipv6, hopLimit, flowLabel: 0 });
  }
  return encodeIpv4({
    ...common,
    // Never fragmented, so that the identification may be anything (RFC 6864 4.1).
    fragment: Ipv4Fragment.dont,
    identification: 0,
    protocol: icmpProtocol.ipv4,
    ttl: hopLimit,
    options: nothing,
  });
}

function macOption(kind: 'source-mac' | 'target-mac', mac: Mac | undefined): readonly NdpOption[] {
  return mac === undefined ? [] : [{ kind, mac }];
}
