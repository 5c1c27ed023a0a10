/**
 * Which of many addresses answer, seen from the client's host: each is announced, and an echo to where it was said to
 * be comes back. Frames, because a kernel has room for a thousand neighbours only, and no broadcasts, which every
 * agent would hear.
 */

import { inNamespace } from '../lab/in-namespace.ts';
import { monotonicMs } from '../lab/monotonic.ts';
import type { Host } from '../lab/network/host.ts';
import { PacketNeighbours } from '../src/linux/packet-neighbours.ts';
import { type Ip, ipOf } from '../src/model/ip.ts';
import type { EthernetLink } from '../src/model/link.ts';
import type { Mac } from '../src/model/mac.ts';
import type { NeighbourEvent } from '../src/model/neighbour-event.ts';
import { claimIn } from '../src/model/neighbour-frame.ts';
import { SystemClock } from '../src/runtime/system-clock.ts';

const firstNicIndex = 1001;
const askAgainMs = 200;
/** Replies to echoes are handed over when the link is drained. */
const drainMs = 2;

export class AnswerEar {
  readonly #neighbours = new PacketNeighbours({ clock: new SystemClock(), identifier: 4711 });
  readonly #link: EthernetLink;
  readonly #source: Ip;
  readonly #isWanted: (ip: Ip) => boolean;
  /** Where those that did not answer yet are said to be. */
  readonly #claimed = new Map<Ip, Mac>();
  readonly answeredAt = new Map<Ip, number>();
  readonly holders = new Map<Ip, Mac>();
  readonly #timers: readonly NodeJS.Timeout[];
  #sequence = 0;

  constructor(client: Host, isWanted: (ip: Ip) => boolean) {
    const { name, plan } = client.nic();
    this.#link = { index: firstNicIndex, name, mac: plan.mac };
    this.#source = ipOf('198.18.0.91');
    this.#isWanted = isWanted;
    inNamespace(client.namespace, () => {
      this.#neighbours.listen(this.#link, (event) => this.#hear(event));
      this.#neighbours.probe({ link: this.#link, ip: this.#source });
    });
    const askAgain = () => {
      for (const [ip, mac] of this.#claimed) this.#ask(ip, mac);
    };
    const drain = () => this.#neighbours.drain(this.#link);
    this.#timers = [setInterval(askAgain, askAgainMs), setInterval(drain, drainMs)];
  }

  close(): void {
    for (const timer of this.#timers) clearInterval(timer);
    this.#neighbours.close();
  }

  #hear(event: NeighbourEvent): void {
    if (event.kind === 'lost' || event.kind === 'link-down' || event.kind === 'link-gone') return;
    if (event.kind === 'echo-reply') {
      this.#noteAnswer(event.source, event.from);
      return;
    }
    const claim = claimIn(event);
    if (claim === undefined || !this.#isWanted(claim.ip) || this.answeredAt.has(claim.ip)) return;
    this.#claimed.set(claim.ip, claim.mac);
    this.#ask(claim.ip, claim.mac);
  }

  #ask(ip: Ip, to: Mac): void {
    this.#sequence = (this.#sequence + 1) % 65_536;
    const sequence = this.#sequence;
    this.#neighbours.echo({ link: this.#link, ip, to, source: this.#source, sequence });
  }

  #noteAnswer(ip: Ip, mac: Mac): void {
    this.#claimed.delete(ip);
    this.holders.set(ip, mac);
    if (!this.answeredAt.has(ip)) this.answeredAt.set(ip, monotonicMs());
  }
}
