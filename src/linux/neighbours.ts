import type { Ip } from '../model/ip.ts';
import type { EthernetLink } from '../model/link.ts';
import type { Mac } from '../model/mac.ts';
import type { NeighbourEvent } from '../model/neighbour-event.ts';
import type { SendFailure, SendOutcome } from '../model/send-outcome.ts';
import type { GratuitousForm } from '../wire/announcement.ts';

/**
 * The other hosts on a link, spoken to in frames: ARP for IPv4, neighbour discovery for IPv6, ICMP echo for both.
 * Whom to ask, how often and what silence means is the caller's business. Nothing here throws for what the network
 * does: outcomes and events are values.
 */
export interface Neighbours {
  /** Tells every neighbour that the address is at the link's MAC: gratuitous ARP, or an unsolicited advertisement. */
  announce(announcement: AnnouncementRequest): SendOutcome;
  /** Asks who holds an address. The answer, if one comes, is an event. */
  probe(probe: ProbeRequest): SendOutcome;
  /**
   * Asks a host to answer from one of its addresses, by a frame to its MAC: no ARP and no route is involved. The reply
   * waits for `drain`: nobody is woken by it.
   */
  echo(echo: EchoProbeRequest): SendOutcome;
  /**
   * Hears ARP, neighbour solicitations and advertisements as they come, and the replies to our own echoes when the link
   * is drained, until stopped. Frames of our own are not heard. A link may have several listeners.
   */
  listen(link: EthernetLink, listener: NeighbourListener): Listening;
  /**
   * Delivers everything that has arrived on the link by now, before it returns: after it, what was not heard was not
   * there. Does nothing on a link that nobody listens to.
   */
  drain(link: EthernetLink): void;
  counters(): NeighbourCounters;
  /** Stops all listeners. */
  close(): void;
}

export type NeighbourListener = (event: NeighbourEvent) => void;

export interface AnnouncementRequest {
  readonly link: EthernetLink;
  readonly ip: Ip;
  /** IPv4 only; both if absent. */
  readonly forms?: readonly GratuitousForm[];
}

export interface ProbeRequest {
  readonly link: EthernetLink;
  readonly ip: Ip;
  /** The one host to ask; all if absent. */
  readonly to?: Mac;
  /** Our address. Absent: a probe that claims nothing. */
  readonly source?: Ip;
}

export interface EchoProbeRequest {
  readonly link: EthernetLink;
  readonly ip: Ip;
  readonly to: Mac;
  /** Our address: the reply goes where the asked host thinks it is. */
  readonly source: Ip;
  /** 0 to 65535; comes back in the reply. */
  readonly sequence: number;
}

export type Listening =
  | { readonly kind: 'listening'; stop(): void }
  | { readonly kind: 'failed'; readonly reason: SendFailure; readonly errno: number };

export interface NeighbourCounters {
  readonly framesSent: number;
  readonly framesFailed: number;
  readonly framesHeard: number;
  /** For want of room in the kernel. */
  readonly framesLost: number;
  /** Passed the filter, but were not valid. */
  readonly framesMalformed: number;
}
