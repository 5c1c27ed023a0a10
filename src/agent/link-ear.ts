/** What is answered on one link to those who ask there, and whether anything can have been missed. */

import type { HolderAnswer } from '../decide/failover/watch-holder.ts';
import type { Question } from '../decide/failover/watch-state.ts';
import type { Listening, Neighbours } from '../linux/neighbours.ts';
import type { Ip } from '../model/ip.ts';
import type { EthernetLink } from '../model/link.ts';
import type { Mac } from '../model/mac.ts';
import type { NeighbourEvent } from '../model/neighbour-event.ts';
import { claimIn, type NeighbourFrame } from '../model/neighbour-frame.ts';

export interface LinkEarSetup {
  readonly neighbours: Neighbours;
  readonly link: EthernetLink;
  /** Whether a frame is of the host that it names. */
  readonly believes: (frame: NeighbourFrame) => boolean;
  readonly onAnswer: (from: Mac, answer: HolderAnswer) => void;
}

export class LinkEar {
  readonly link: EthernetLink;
  readonly #setup: LinkEarSetup;
  readonly #listening: Listening;
  /** Whom each address was asked of, and when and how last. */
  readonly #asked = new Map<Ip, Asked>();
  /** When the latest question was asked that they answered. */
  readonly #answered = new Map<string, number>();
  #isDeaf = false;

  constructor(setup: LinkEarSetup) {
    const { neighbours, link } = setup;
    this.link = link;
    this.#setup = setup;
    this.#listening = neighbours.listen(link, (event) => this.#hear(event));
  }

  /** Something may have been missed since `hearAnew`. */
  get isDeaf(): boolean {
    return this.#isDeaf || this.#listening.kind === 'failed';
  }

  isFor(link: EthernetLink | undefined): boolean {
    const isSame = link?.index === this.link.index && link.mac === this.link.mac;
    return isSame && this.#listening.kind === 'listening';
  }

  drain(): void {
    this.#setup.neighbours.drain(this.link);
  }

  hearAnew(): void {
    this.#isDeaf = false;
  }

  noteDeaf(): void {
    this.#isDeaf = true;
  }

  noteAsked(who: string, { ip, by }: Question, at: number): void {
    const before = this.#asked.get(ip);
    const isProbed = by === 'probe' || (before?.at === at && before.isProbed);
    this.#asked.set(ip, { who, at, isProbed });
  }

  /** When the latest question to anyone but this one was asked that got an answer. */
  answeredBut(who: string): number {
    const others = [...this.#answered].filter(([name]) => name !== who).map(([, at]) => at);
    return Math.max(-Infinity, ...others);
  }

  stop(): void {
    if (this.#listening.kind === 'listening') this.#listening.stop();
  }

  #hear(event: NeighbourEvent): void {
    if (event.kind === 'lost' || event.kind === 'link-down' || event.kind === 'link-gone') {
      this.#isDeaf = true;
      return;
    }
    const claim = isAnswer(event) ? claimIn(event) : undefined;
    if (claim === undefined || event.from === this.link.mac) return;
    if (!this.#setup.believes(event)) return;
    const { ip } = claim;
    const asked = this.#asked.get(ip);
    if (asked !== undefined && event.at >= asked.at) this.#answered.set(asked.who, asked.at);
    const by = event.kind === 'echo-reply' ? 'echo' : 'probe';
    // An announcement looks like an answer by ARP, and is one to whoever asked.
    const isUnasked = by === 'probe' && asked?.isProbed !== true;
    this.#setup.onAnswer(event.from, { ip, by, at: event.at, isUnasked });
  }
}

interface Asked {
  readonly who: string;
  readonly at: number;
  /** By ARP or a neighbour solicitation, too. */
  readonly isProbed: boolean;
}

/** Requests are none, whatever they say of their sender. */
function isAnswer(frame: NeighbourFrame): boolean {
  if (frame.kind === 'arp') return frame.operation === 'reply';
  if (frame.kind === 'neighbour-advertisement') return true;
  return frame.kind === 'echo-reply';
}
