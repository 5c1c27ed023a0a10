/** Asks members whether they hold what they answer for, and says to those that ask what this node does not hold. */

import type { MemberTimes } from '../decide/announcement/believe-claims.ts';
import type { WireView } from '../decide/announcement/node-snapshot.ts';
import {
  type Inquiry,
  inquiryKey,
  inquiryMs,
  planInquiries,
} from '../decide/failover/plan-inquiries.ts';
import type { Ip } from '../model/ip.ts';
import type { Member } from '../model/member.ts';
import type { Clock } from '../runtime/clock.ts';
import type { Hint } from '../wire/hint.ts';
import type { HintSender, Hints } from './hints.ts';

export interface InquiriesSetup {
  readonly node: string;
  readonly hints: Pick<Hints, 'send' | 'reply'>;
  readonly clock: Clock;
  /** Of 48 bits, that nobody can guess. */
  readonly drawNumber: () => number;
  /** Someone denied what it was asked, or asked for what this node may hold. */
  readonly onNews: () => void;
}

type Exchanged = 'question' | 'denial' | 'affirmation';

interface OpenQuestion extends Inquiry {
  readonly at: number;
}

/** As long as what was announced is remembered. */
const denialLifeMs = 60_000;

export class Inquiries {
  readonly #setup: InquiriesSetup;
  /** By their number. */
  readonly #open = new Map<number, OpenQuestion>();
  readonly #denials = new Map<Ip, Map<string, number>>();
  readonly #asked = new Map<Ip, number>();
  #deniable: ReadonlySet<Ip> = new Set();
  #known: ReadonlySet<Ip> = new Set();

  constructor(setup: InquiriesSetup) {
    this.#setup = setup;
  }

  /** Who said not to hold what, by the time of the question. */
  get denials(): MemberTimes {
    return this.#denials;
  }

  /** Addresses that someone asked this node for, which it could not deny, and when. */
  get asked(): ReadonlyMap<Ip, number> {
    return this.#asked;
  }

  /** What this node denies from now on. */
  deny(ips: ReadonlySet<Ip>): void {
    this.#deniable = ips;
  }

  /** Of what it may be asked at all: anybody can ask for anything, as often as they like. */
  attend(ips: ReadonlySet<Ip>): void {
    this.#known = ips;
  }

  /** Says when there is more to ask. */
  ask(wire: WireView, members: readonly Member[]): number {
    const { node: me, clock } = this.#setup;
    const now = clock.monotonic();
    this.#forgetOld(now);
    const askedAt = new Map([...this.#open.values()].map((each) => [inquiryKey(each), each.at]));
    const { due, wakeAt } = planInquiries({ me, wire, askedAt, now });
    for (const inquiry of due) this.#send({ ...inquiry, at: now }, members);
    return wakeAt;
  }

  hear(hint: Hint & { readonly kind: Exchanged }, sender: HintSender): void {
    if (hint.kind === 'denial') this.#hearDenial(hint, sender);
    else if (hint.kind === 'affirmation') return;
    else if (!this.#deniable.has(hint.ip)) this.#noteAsked(hint.ip);
    else this.#setup.hints.reply({ ...hint, kind: 'denial' }, sender);
  }

  #send(question: OpenQuestion, members: readonly Member[]): void {
    const { hints, drawNumber } = this.#setup;
    const number = drawNumber();
    this.#open.set(number, question);
    const links = members.flatMap(({ links }) => links);
    const to = links.find(({ macs }) => macs.includes(question.mac))?.addresses.slice(0, 1) ?? [];
    hints.send(
      { kind: 'question', ip: question.ip, number },
      to.map(({ ip }) => ip),
    );
  }

  /** It counts from the member that was asked, for what it was asked. */
  #hearDenial({ number, ip: named }: Hint & { readonly kind: 'denial' }, sender: HintSender): void {
    const question = this.#open.get(number);
    if (question === undefined || question.node !== sender.node) return;
    const { ip, node, at } = question;
    if (named !== undefined && named !== ip) return;
    const known = this.#denials.get(ip) ?? new Map<string, number>();
    this.#denials.set(ip, known.set(node, Math.max(at, known.get(node) ?? -Infinity)));
    this.#setup.onNews();
  }

  /** It may hold it: then it announces it. */
  #noteAsked(ip: Ip): void {
    if (!this.#known.has(ip)) return;
    this.#asked.set(ip, this.#setup.clock.monotonic());
    this.#setup.onNews();
  }

  #forgetOld(now: number): void {
    dropWhere(this.#open, ({ at }) => now - at > inquiryMs);
    dropWhere(this.#asked, (at) => now - at > inquiryMs);
    for (const times of this.#denials.values()) dropWhere(times, (at) => now - at > denialLifeMs);
    dropWhere(this.#denials, ({ size }) => size === 0);
  }
}

function dropWhere<K, V>(map: Map<K, V>, isOver: (value: V) => boolean): void {
  for (const [key, value] of map) if (isOver(value)) map.delete(key);
}
