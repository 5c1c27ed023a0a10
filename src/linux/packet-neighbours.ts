import type { EthernetLink } from '../model/link.ts';
import type { Mac } from '../model/mac.ts';
import type { NeighbourEvent } from '../model/neighbour-event.ts';
import type { NeighbourFrame } from '../model/neighbour-frame.ts';
import type { SendOutcome } from '../model/send-outcome.ts';
import type { Clock } from '../runtime/clock.ts';
import { announcementFrames } from '../wire/announcement.ts';
import { decodeFrame } from '../wire/decode-frame.ts';
import { encodeFrame } from '../wire/encode-frame.ts';
import { probeFrame } from '../wire/probe.ts';
import { echoFilter, neighbourFilter } from '../wire/socket-filter.ts';
import { WireError } from '../wire/wire-error.ts';
import { EchoExchanges } from './echo-exchanges.ts';
import type {
  AnnouncementRequest,
  EchoProbeRequest,
  Listening,
  NeighbourCounters,
  NeighbourListener,
  Neighbours,
  ProbeRequest,
} from './neighbours.ts';
import { type PacketListener, PacketReceiver } from './packet-receiver.ts';
import { PacketSender } from './packet-sender.ts';
import { sendFailureOf } from './send-failure.ts';

interface Ear {
  readonly receiver: PacketReceiver;
  /** Of echo replies, which come all the time and are awaited by nobody before they are asked for. */
  readonly echoes: PacketReceiver;
  readonly listeners: Set<NeighbourListener>;
  /** The link's own; as the last caller knew it. */
  mac: Mac;
}

export interface PacketNeighboursOptions {
  readonly clock: Clock;
  /** 0 to 65535, in every echo we send; replies that carry another one belong to somebody else on this host. */
  readonly identifier: number;
}

/** Neighbours over packet sockets: one that sends, and two for each link that is listened to. */
export class PacketNeighbours implements Neighbours {
  readonly #clock: Clock;
  readonly #identifier: number;
  readonly #exchanges: EchoExchanges;
  readonly #sender = new PacketSender();
  /** By the link's index. */
  readonly #ears = new Map<number, Ear>();
  readonly #counters = {
    framesSent: 0,
    framesFailed: 0,
    framesHeard: 0,
    framesLost: 0,
    framesMalformed: 0,
  };

  constructor({ clock, identifier }: PacketNeighboursOptions) {
    this.#clock = clock;
    this.#identifier = identifier;
    this.#exchanges = new EchoExchanges(identifier);
  }

  announce({ link, ...announcement }: AnnouncementRequest): SendOutcome {
    return this.#sendAll(link, announcementFrames({ ...announcement, mac: link.mac }));
  }

  probe({ link, ...probe }: ProbeRequest): SendOutcome {
    return this.#sendAll(link, [probeFrame({ ...probe, mac: link.mac })]);
  }

  echo({ link, sequence, ...who }: EchoProbeRequest): SendOutcome {
    const exchange = this.#exchanges.with({ ...who, mac: link.mac }, sequence);
    return this.#send(link, [exchange.ask(sequence)]);
  }

  listen(link: EthernetLink, listener: NeighbourListener): Listening {
    const ear = this.#ears.get(link.index) ?? this.#open(link);
    if (typeof ear === 'number') return sendFailureOf(ear);
    ear.mac = link.mac;
    // Of its own identity, so that a function given twice can be stopped once.
    const entry: NeighbourListener = (event) => listener(event);
    ear.listeners.add(entry);
    return { kind: 'listening', stop: () => this.#stop(link.index, ear, entry) };
  }

  drain(link: EthernetLink): void {
    const ear = this.#ears.get(link.index);
    ear?.receiver.drain();
    ear?.echoes.drain();
  }

  counters(): NeighbourCounters {
    return { ...this.#counters };
  }

  close(): void {
    for (const ear of this.#ears.values()) closeEar(ear);
    this.#ears.clear();
    this.#sender.close();
  }

  #sendAll(link: EthernetLink, frames: readonly NeighbourFrame[]): SendOutcome {
    return this.#send(link, frames.map(encodeFrame));
  }

  /** All are tried; the first failure is the outcome. */
  #send(link: EthernetLink, frames: readonly Uint8Array[]): SendOutcome {
    const outcomes = frames.map((frame) => this.#sender.send(link.index, frame));
    const failures = outcomes.filter(({ kind }) => kind === 'failed');
    this.#counters.framesSent += outcomes.length - failures.length;
    this.#counters.framesFailed += failures.length;
    return failures[0] ?? { kind: 'sent' };
  }

  #open(link: EthernetLink): Ear | number {
    const common = { linkIndex: link.index, clock: this.#clock };
    const receiver = PacketReceiver.open({
      ...common,
      filter: neighbourFilter(),
      listener: this.#packetListener(link.index),
    });
    if (typeof receiver === 'number') return receiver;
    const echoes = PacketReceiver.open({
      ...common,
      filter: echoFilter(this.#identifier),
      listener: this.#echoListener(link.index),
      isPolled: false,
    });
    if (typeof echoes === 'number') {
      receiver.close();
      return echoes;
    }
    const ear = { receiver, echoes, listeners: new Set<NeighbourListener>(), mac: link.mac };
    this.#ears.set(link.index, ear);
    return ear;
  }

  #stop(linkIndex: number, ear: Ear, listener: NeighbourListener): void {
    ear.listeners.delete(listener);
    if (ear.listeners.size > 0 || this.#ears.get(linkIndex) !== ear) return;
    closeEar(ear);
    this.#ears.delete(linkIndex);
  }

  #packetListener(linkIndex: number): PacketListener {
    return {
      onFrame: (bytes, at) => this.#hear(linkIndex, bytes, at),
      onLost: (count, at) => {
        this.#counters.framesLost += count;
        this.#tell(linkIndex, { kind: 'lost', count, at });
      },
      onLinkDown: (at) => this.#tell(linkIndex, { kind: 'link-down', at }),
      onLinkGone: (at) => {
        const ear = this.#ears.get(linkIndex);
        this.#ears.delete(linkIndex);
        ear?.echoes.close();
        for (const listener of ear?.listeners ?? []) listener({ kind: 'link-gone', at });
      },
    };
  }

  /** What becomes of the link the other socket tells. */
  #echoListener(linkIndex: number): PacketListener {
    const { onFrame, onLost } = this.#packetListener(linkIndex);
    return { onFrame, onLost, onLinkDown: () => {}, onLinkGone: () => {} };
  }

  #hear(linkIndex: number, bytes: Uint8Array, at: number): void {
    this.#counters.framesHeard += 1;
    const frame = this.#exchanges.recognise(bytes) ?? this.#decode(bytes);
    // Our own frames come back from a hub, a bond, or a switch that loops.
    if (frame === undefined || frame.from === this.#ears.get(linkIndex)?.mac) return;
    this.#tell(linkIndex, { ...frame, at });
  }

  #decode(bytes: Uint8Array): NeighbourFrame | undefined {
    try {
      return decodeFrame(bytes);
    } catch (error) {
      if (!(error instanceof WireError)) throw error;
      this.#counters.framesMalformed += 1;
      return undefined;
    }
  }

  #tell(linkIndex: number, event: NeighbourEvent): void {
    for (const listener of this.#ears.get(linkIndex)?.listeners ?? []) listener(event);
  }
}

function closeEar({ receiver, echoes }: Ear): void {
  receiver.close();
  echoes.close();
}
