/** A switch or a router that answers ARP and neighbour solicitations for others, probes without a sender included. */

import { PacketNeighbours } from '../../src/linux/packet-neighbours.ts';
import { PacketSender } from '../../src/linux/packet-sender.ts';
import type { Ip } from '../../src/model/ip.ts';
import type { EthernetLink } from '../../src/model/link.ts';
import type { Mac } from '../../src/model/mac.ts';
import type { NeighbourEvent } from '../../src/model/neighbour-event.ts';
import {
  type NeighbourFrame,
  questionIn,
  type Station,
  unspecifiedIp,
} from '../../src/model/neighbour-frame.ts';
import { SystemClock } from '../../src/runtime/system-clock.ts';
import { encodeFrame } from '../../src/wire/encode-frame.ts';
import { allNodes, multicastMac } from '../../src/wire/multicast.ts';
import { inNamespace } from '../in-namespace.ts';
import type { Segment } from '../network/segment.ts';
import { run } from '../process/run.ts';
import { type Fault, inflict } from './fault.ts';

export interface Answering {
  /** Where it says that an address is; undefined: it says nothing. */
  readonly macOf: (ip: Ip) => Mac | undefined;
  /** It answers everyone but these. */
  readonly except?: readonly Mac[];
}

/** Hears what the switch floods: who is asked by a frame of its own answers for itself. */
export async function answerForOthers(segment: Segment, answering: Answering): Promise<Fault> {
  const { namespace } = segment;
  const link = await readBridge(segment);
  const neighbours = new PacketNeighbours({ clock: new SystemClock(), identifier: 0 });
  const sender = new PacketSender();
  const send = (frame: NeighbourFrame) =>
    inNamespace(namespace, () => sender.send(link.index, encodeFrame(frame)));
  const hear = (event: NeighbourEvent) => {
    const reply = answerTo(event, answering);
    if (reply !== undefined) send(reply);
  };
  return inflict(`answered for others on ${segment.name}`, {
    impose: async () => {
      const listening = inNamespace(namespace, () => neighbours.listen(link, hear));
      if (listening.kind === 'failed') throw new Error(`cannot listen: errno ${listening.errno}`);
    },
    lift: async () => {
      neighbours.close();
      sender.close();
    },
  });
}

async function readBridge({ namespace, bridge }: Segment): Promise<EthernetLink> {
  const { stdout } = await run(['ip', '-n', namespace, '-json', 'link', 'show', bridge]);
  const [found] = JSON.parse(stdout) as readonly { ifindex: number; address: Mac }[];
  if (found === undefined) throw new Error(`no bridge ${bridge}`);
  return { index: found.ifindex, name: bridge, mac: found.address };
}

/** Undefined: the frame is no question, or none that is answered. */
export function answerTo(
  event: NeighbourEvent,
  { macOf, except = [] }: Answering,
): NeighbourFrame | undefined {
  if (event.kind !== 'arp' && event.kind !== 'neighbour-solicitation') return undefined;
  const ip = questionIn(event);
  const mac = ip === undefined ? undefined : macOf(ip);
  if (ip === undefined || mac === undefined || except.includes(event.from)) return undefined;
  const found = { ip, mac };
  return event.kind === 'arp' ? arpReply(found, event.sender) : advertisement(found, event);
}

function arpReply(sender: Station, target: Station): NeighbourFrame {
  return { kind: 'arp', from: sender.mac, to: target.mac, operation: 'reply', sender, target };
}

/** RFC 4861, 7.2.4: to a probe, which has no source, everyone is told. */
function advertisement(
  { ip, mac }: Station,
  { from, source }: { readonly from: Mac; readonly source: Ip },
): NeighbourFrame {
  const isProbe = source === unspecifiedIp.ipv6;
  return {
    kind: 'neighbour-advertisement',
    from: mac,
    to: isProbe ? multicastMac(allNodes) : from,
    source: ip,
    destination: isProbe ? allNodes : source,
    target: ip,
    targetMac: mac,
    isRouter: false,
    isSolicited: !isProbe,
    overrides: false,
  };
}
