/** Frames that tell every neighbour on the link that an address is now to be found at a MAC. */

import { familyOf, type Ip } from '../model/ip.ts';
import { broadcastMac, type Mac } from '../model/mac.ts';
import {
  type ArpFrame,
  type NeighbourAdvertisement,
  type NeighbourFrame,
  unspecifiedMac,
} from '../model/neighbour-frame.ts';
import { allNodes, multicastMac } from './multicast.ts';

/** Hosts differ in which form of a gratuitous ARP they believe. */
export type GratuitousForm = 'request' | 'reply';

export interface Announcement {
  readonly ip: Ip;
  readonly mac: Mac;
  /** IPv4 only; both if absent. */
  readonly forms?: readonly GratuitousForm[];
}

export function announcementFrames(announcement: Announcement): readonly NeighbourFrame[] {
  const { ip, mac, forms = ['request', 'reply'] } = announcement;
  if (familyOf(ip) === 'ipv6') return [unsolicitedAdvertisement(ip, mac)];
  return forms.map((form) => gratuitousArp(form, ip, mac));
}

/**
 * The target MAC means nothing in a request (RFC 5227 1.1: zero); in a reply it is the sender's own (RFC 5944 4.6),
 * and Linux takes only such a reply for gratuitous.
 */
function gratuitousArp(form: GratuitousForm, ip: Ip, mac: Mac): ArpFrame {
  return {
    kind: 'arp',
    from: mac,
    to: broadcastMac,
    operation: form,
    sender: { mac, ip },
    target: { mac: form === 'request' ? unspecifiedMac : mac, ip },
  };
}

/** RFC 4861 7.2.6; with the override flag, so that neighbours replace what they know. */
function unsolicitedAdvertisement(ip: Ip, mac: Mac): NeighbourAdvertisement {
  return {
    kind: 'neighbour-advertisement',
    from: mac,
    to: multicastMac(allNodes),
    source: ip,
    destination: allNodes,
    target: ip,
    targetMac: mac,
    isRouter: false,
    isSolicited: false,
    overrides: true,
  };
}
