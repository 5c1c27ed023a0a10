/** Asks members whether they hold what they answer for, and says to those that ask what this node holds, or does not. */

import type { MemberTimes } from '../decide/announcement/believe-claims.ts';
import type { WireView } from '../decide/announcement/node-snapshot.ts';
import type { Affirmable } from '../decide/failover/deny-holding.ts';
import {
  type Inquiry,
  inquiryKey,
  inquiryMs,
  planInquiries,
} from '../decide/failover/plan-inquiries.ts';
import type { Ip } from '../model/ip.ts';
import type { Member } from '../model/member.ts';
import type { Clock } from '../runtime/clock.ts';
import { dropWhere } from '../runtime/drop-where.ts';
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
const answerLifeMs = 60_000;
/** Who is no longer asked is no longer silent. */
const patienceMs = 5_000;
/** Of those that wait for the next pass: a member asks for what it takes over, and that is a thousand at most. */
const mostWaiting = 5_000;

type Times = Map<Ip, Map<string, number>>;

/** By address and member, when it was asked. */
export interface Answers {
  readonly denials: MemberTimes;
  /** Signed affirmations, with doubt or without. */
  readonly admissions: MemberTimes;
  readonly affirmed: MemberTimes;
  readonly unanswered: MemberTimes;
}

interface WaitingQuestion {
  readonly ip: Ip;
  readonly number: number;
  readonly sender: HintSender;
  readonly at: number;
}

interface Silence {
  readonly since: number;
  readonly lastAt: number;
}

export class Inquiries {
  readonly #setup: InquiriesSetup;
  /** By their number. */
  readonly #open = new Map<number, OpenQuestion>();
  readonly #denials: Times = new Map();
  /** Signed: with doubt or without, and without. */
  readonly #admissions: Times = new Map();
  readonly #affirmations: Times = new Map();
  readonly #silences = new Map<string, Silence & Pick<Inquiry, 'ip' | 'node'>>();
  readonly #asked = new Map<Ip, number>();
  /** By who asks for what. */
  readonly #waiting = new Map<string, WaitingQuestion>();
  #deniable = new Set<Ip>();
  #isDeniable: (ip: Ip) => boolean = () => false;
  #known = new Set<Ip>();

  constructor(setup: InquiriesSetup) {
    this.#setup = setup;
  }

  /** Who said what of which address, by the time of the question; and who has said nothing, and since when. */
  get answers(): Answers {
    const unanswered: Times = new Map();
    for (const { ip, node, since } of this.#silences.values()) note(unanswered, ip, node, since);
    const [denials, admissions, affirmed] = [this.#denials, this.#admissions, this.#affirmations];
    return { denials, admissions, affirmed, unanswered };
  }

  /** Addresses that someone asked this node for, which it could not deny, and when. */
  get asked(): ReadonlyMap<Ip, number> {
    return this.#asked;
  }

  /** What this node denies from now on. */
  deny(ips: ReadonlySet<Ip>): void {
    this.#deniable = new Set(ips);
    this.#isDeniable = (ip) => this.#deniable.has(ip);
  }

  /** After each pass, which looked into the kernel: those who asked before it hear what it found. */
  affirm({ sure, unsure }: Affirmable): void {
    const { hints, clock } = this.#setup;
    const now = clock.monotonic();
    for (const { ip, number, sender, at } of this.#waiting.values()) {
      if (now - at > inquiryMs) continue;
      if (this.#isDeniable(ip)) hints.reply({ kind: 'denial', number, ip }, sender);
      else if (sure.has(ip) || unsure.has(ip))
        hints.reply({ kind: 'affirmation', number, ip, isSure: sure.has(ip) }, sender);
    }
    this.#waiting.clear();
  }

  /** Of what it may be asked at all: anybody can ask for anything, as often as they like. */
  attend(ips: ReadonlySet<Ip>): void {
    this.#known = new Set(ips);
  }

  /** After a pass over some addresses: those of them that Services have, and those that this node denies. */
  attendSome(
    ips: ReadonlySet<Ip>,
    { known, deniable }: { readonly known: readonly Ip[]; readonly deniable: ReadonlySet<Ip> },
  ): void {
    for (const ip of ips) {
      this.#known.delete(ip);
      this.#deniable.delete(ip);
    }
    for (const ip of known) this.#known.add(ip);
    for (const ip of deniable) this.#deniable.add(ip);
  }

  /** Before the agent has read the cluster: it adds nothing, so it denies every address that it does not hold. */
  attendHeld(held: ReadonlySet<Ip>): void {
    this.#known = new Set(held);
    this.#isDeniable = (ip) => !held.has(ip);
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
    if (hint.kind !== 'question') this.#hearAnswer(hint, sender);
    else if (this.#isDeniable(hint.ip)) {
      this.#setup.hints.reply({ ...hint, kind: 'denial' }, sender);
    } else if (this.#known.has(hint.ip)) this.#noteAsked(hint, sender);
  }

  #send(question: OpenQuestion, members: readonly Member[]): void {
    const { hints, drawNumber } = this.#setup;
    const number = drawNumber();
    this.#open.set(number, question);
    const { ip, node, at } = question;
    const key = inquiryKey(question);
    this.#silences.set(key, { ip, node, since: this.#silences.get(key)?.since ?? at, lastAt: at });
    const links = members.flatMap(({ links }) => links);
    const to = links.find(({ macs }) => macs.includes(question.mac))?.addresses.slice(0, 1) ?? [];
    hints.send(
      { kind: 'question', ip, number },
      to.map((prefix) => prefix.ip),
    );
  }

  /** It counts from the member that was asked, for what it was asked. */
  #hearAnswer(hint: Hint & { readonly kind: 'denial' | 'affirmation' }, sender: HintSender): void {
    const question = this.#open.get(hint.number);
    if (question === undefined || question.node !== sender.node) return;
    const { ip, node, at } = question;
    if (hint.ip !== undefined && hint.ip !== ip) return;
    this.#silences.delete(inquiryKey(question));
    if (hint.kind === 'denial') note(this.#denials, ip, node, at);
    else if (sender.keyId !== undefined) {
      note(this.#admissions, ip, node, at);
      if (hint.isSure) note(this.#affirmations, ip, node, at);
    }
    this.#setup.onNews();
  }

  /** It may hold it: then it announces it, and says so to a member that can tell that it is true. */
  #noteAsked({ ip, number }: Hint & { readonly kind: 'question' }, sender: HintSender): void {
    const at = this.#setup.clock.monotonic();
    this.#asked.set(ip, at);
    if (sender.keyId !== undefined && this.#waiting.size < mostWaiting)
      this.#waiting.set(`${ip} ${sender.node}`, { ip, number, sender, at });
    this.#setup.onNews();
  }

  #forgetOld(now: number): void {
    dropWhere(this.#open, ({ at }) => now - at > inquiryMs);
    dropWhere(this.#asked, (at) => now - at > inquiryMs);
    dropWhere(this.#silences, ({ lastAt }) => now - lastAt > patienceMs);
    for (const answers of [this.#denials, this.#admissions, this.#affirmations]) {
      for (const times of answers.values()) dropWhere(times, (at) => now - at > answerLifeMs);
      dropWhere(answers, ({ size }) => size === 0);
    }
  }
}

function note(times: Times, ip: Ip, node: string, at: number): void {
  const known = times.get(ip) ?? new Map<string, number>();
  times.set(ip, known.set(node, Math.max(at, known.get(node) ?? -Infinity)));
}
