/** What the network said: answers to what was asked, and who claims to hold what. */

import { advanceLookMs } from '../decide/announcement/advance-look.ts';
import type { Identities } from '../decide/announcement/identities.ts';
import type { Ask } from '../decide/announcement/look-before-add.ts';
import { noteAnswer } from '../decide/announcement/note-answer.ts';
import { isTrustworthy } from '../decide/announcement/trust-frame.ts';
import type { Look } from '../decide/announcement/who-holds.ts';
import type { Listening, Neighbours } from '../linux/neighbours.ts';
import type { Ip } from '../model/ip.ts';
import type { EthernetLink, Link } from '../model/link.ts';
import { isGroupMac, type Mac } from '../model/mac.ts';
import type { NeighbourEvent } from '../model/neighbour-event.ts';
import {
  claimIn,
  isGratuitous,
  isReply,
  type NeighbourFrame,
  questionIn,
  type Station,
} from '../model/neighbour-frame.ts';
import type { SendOutcome } from '../model/send-outcome.ts';
import type { Clock } from '../runtime/clock.ts';
import { dropWhere } from '../runtime/drop-where.ts';
import { asEthernet } from './as-ethernet.ts';
import { type Claim, repeatMs, Sayings } from './sayings.ts';

export interface WireEarSetup {
  readonly neighbours: Neighbours;
  readonly clock: Clock;
  /** A frame about the address may change the decision about it. */
  readonly onNews: (ip: Ip) => void;
  /** A host replied to a probe for the address. */
  readonly onAnswer: (ip: Ip) => void;
  readonly onFailure: (link: string, failure: Listening | SendOutcome) => void;
}

type Members = Pick<Identities, 'get' | 'has'>;
type Addresses = Pick<ReadonlySet<Ip>, 'has'>;

/** Long after any slot was written. */
const claimLifeMs = 60_000;
const lookLifeMs = 30_000;
const tidyEveryMs = 1_000;
/** Longer than a look in advance counts. */
const aheadLifeMs = 1.5 * advanceLookMs;

interface Ear {
  readonly link: EthernetLink;
  readonly listening: Listening;
}

export class WireEar {
  readonly #setup: WireEarSetup;
  readonly #ears = new Map<number, Ear>();
  readonly #looks = new Map<Ip, Look>();
  readonly #claims = new Map<Ip, Claim>();
  /** The MAC that last said to hold an address, also after its claim is forgotten: said again it is no news. */
  readonly #said = new Map<Ip, Mac>();
  readonly #announcements = new Sayings();
  readonly #probes = new Sayings();
  /** Addresses of which claims are kept. */
  #wanted: Addresses = new Set<Ip>();
  #members: Members | undefined;
  readonly #isMember = (mac: Mac) => this.#members?.has(mac) === true;
  #mismatched = 0;
  #isTakingIn = false;
  #tidiedAt = -Infinity;

  constructor(setup: WireEarSetup) {
    this.#setup = setup;
  }

  get looks(): ReadonlyMap<Ip, Look> {
    return this.#looks;
  }

  get claims(): ReadonlyMap<Ip, Claim> {
    return this.#claims;
  }

  /** Who told unasked to hold an address, as one who took it does. */
  get announcements(): Sayings['times'] {
    return this.#announcements.times;
  }

  /** Who asked everyone for an address, as one who is about to take it does. */
  get probes(): Sayings['times'] {
    return this.#probes.times;
  }

  /** Frames that were not believed because somebody spoke in the name of a member. */
  get mismatched(): number {
    return this.#mismatched;
  }

  /** By what is known of the members now. */
  believes(frame: NeighbourFrame): boolean {
    return isTrustworthy(frame, this.#members);
  }

  /** Listens on these links and on no others, for what is said of these addresses. Without members nobody is a stranger. */
  attend(links: readonly Link[], ips: Addresses, members?: Members): void {
    this.#wanted = ips;
    this.#members = members;
    const chosen = new Map(links.flatMap(asEthernet).map((link) => [link.index, link]));
    for (const [index, ear] of this.#ears) {
      const link = chosen.get(index);
      if (link?.mac !== ear.link.mac || ear.listening.kind === 'failed') this.#stop(index);
    }
    for (const link of chosen.values()) if (!this.#ears.has(link.index)) this.#listen(link);
    for (const ip of this.#said.keys()) if (!ips.has(ip)) this.#said.delete(ip);
    this.#tidiedAt = -Infinity;
    this.tidy();
  }

  /** Takes in everything that has arrived by now: only then is silence silence. Who does so looks at the answers itself. */
  drain(): void {
    for (const { link } of this.#ears.values()) this.#takeIn(link);
  }

  #takeIn(link: EthernetLink): void {
    this.#isTakingIn = true;
    this.#setup.neighbours.drain(link);
    this.#isTakingIn = false;
  }

  /** Those who are asked for together are due together, however long it takes to ask for them all. */
  ask(questions: readonly Ask[], links: readonly Link[]): void {
    const { clock } = this.#setup;
    const asked = new Set(questions.map(({ link }) => link));
    // A node has a link for each of its pods beside those that are asked.
    const able = links.filter(({ name }) => asked.has(name)).flatMap(asEthernet);
    const byName = new Map(able.map((link) => [link.name, link]));
    // What was said before is no answer; and an answer may be there before the sending of the question is over.
    for (const link of byName.values()) this.#takeIn(link);
    const sentAt = clock.monotonic();
    for (const question of questions) this.#begin(question, sentAt);
    for (const question of questions) this.#put(question, byName.get(question.link));
    const sendingMs = clock.monotonic() - sentAt;
    for (const { ip } of questions) this.#change(ip, { sendingMs });
    const repeated = Map.groupBy(questions, ({ repeatMs }) => repeatMs);
    for (const [ms, all] of repeated) {
      if (ms !== undefined) clock.after(ms, () => this.#repeat(all, links, sentAt));
    }
  }

  /** Whatever was heard of the address before counts no more. */
  forget(ip: Ip): void {
    this.#looks.delete(ip);
  }

  #begin({ ip, link, isFirst, repeatMs, isAhead }: Ask, sentAt: number): void {
    const before = isFirst ? undefined : this.#looks.get(ip);
    this.#looks.set(ip, {
      link,
      sentAt: [...(before?.sentAt ?? []), sentAt],
      answers: before?.answers ?? [],
      isDeaf: before?.isDeaf ?? false,
      isRepeated: repeatMs !== undefined,
      ...((isFirst ? isAhead : before?.isAhead) === true && { isAhead: true }),
    });
  }

  #put({ ip, to, isPrivate = false }: Ask, link: EthernetLink | undefined): void {
    const isHeard = link === undefined || this.#send(ip, link, isPrivate ? to : [undefined, ...to]);
    if (!isHeard) this.#change(ip, { isDeaf: true });
  }

  #change(ip: Ip, news: Partial<Look>): void {
    const look = this.#looks.get(ip);
    if (look !== undefined) this.#looks.set(ip, { ...look, ...news });
  }

  /** Not where there is an answer, which is to be judged, nor where someone began to ask anew. */
  #repeat(questions: readonly Ask[], links: readonly Link[], since: number): void {
    this.drain();
    const silent = questions.filter(({ ip }) => {
      const look = this.#looks.get(ip);
      return look?.answers.length === 0 && look.sentAt.length === 1 && look.sentAt[0] === since;
    });
    const again = silent.map(({ repeatMs: _, ...question }) => ({ ...question, isFirst: false }));
    if (again.length > 0) this.ask(again, links);
  }

  stop(): void {
    for (const index of this.#ears.keys()) this.#stop(index);
    this.#looks.clear();
  }

  /** False: it cannot have been heard by everyone. */
  #send(ip: Ip, link: EthernetLink, to: readonly (Mac | undefined)[]): boolean {
    const { neighbours, onFailure } = this.#setup;
    const outcomes = to.map((mac) =>
      neighbours.probe({ link, ip, ...(mac === undefined ? {} : { to: mac }) }),
    );
    const failed = outcomes.find(({ kind }) => kind === 'failed');
    if (failed !== undefined) onFailure(link.name, failed);
    return failed === undefined && this.#ears.get(link.index)?.listening.kind === 'listening';
  }

  #listen(link: EthernetLink): void {
    const listening = this.#setup.neighbours.listen(link, (event) => this.#hear(link, event));
    this.#ears.set(link.index, { link, listening });
    if (listening.kind === 'failed') this.#setup.onFailure(link.name, listening);
  }

  #stop(index: number): void {
    const ear = this.#ears.get(index);
    this.#ears.delete(index);
    if (ear?.listening.kind === 'listening') ear.listening.stop();
  }

  #hear(link: EthernetLink, event: NeighbourEvent): void {
    if (event.kind === 'lost' || event.kind === 'link-down') this.#deafen(link.name);
    else if (event.kind === 'link-gone') {
      this.#deafen(link.name);
      this.#ears.delete(link.index);
    } else this.#take(link, event, event.at);
  }

  #take(link: EthernetLink, frame: NeighbourFrame, at: number): void {
    // Who answers an echo is asked by others here, all the time: that says who lives, not who holds what.
    if (frame.kind === 'echo-reply') return;
    if (!this.believes(frame)) {
      this.#mismatched += 1;
      return;
    }
    const claim = claimIn(frame);
    if (claim === undefined) this.#takeProbe(frame, at);
    else if (claim.mac !== link.mac) this.#takeClaim(link, { ...claim, at }, frame);
  }

  #takeClaim(
    link: EthernetLink,
    { ip, mac, at }: Station & { readonly at: number },
    frame: NeighbourFrame,
  ): void {
    this.#takeAnswer(link, { ip, mac, at });
    const isWanted = this.#wanted.has(ip);
    const isAnnouncement = isGratuitous(frame) && (isWanted || this.#looks.has(ip));
    const isNew = isAnnouncement && this.#announcements.note(ip, mac, at, this.#isMember);
    if (!isWanted) return;
    // Routers with proxy ARP answer, and say nothing else; what an answer is worth is judged by the look that it is to.
    const isOther = !isReply(frame) && this.#claims.get(ip)?.mac !== mac;
    const isInsisting = !isReply(frame) && this.#insists({ ip, mac, at });
    if (!isAnnouncement && !isOther && !isInsisting) return;
    const isNews = isNew || isInsisting || this.#said.get(ip) !== mac;
    this.#claims.set(ip, { mac, at, link: link.name });
    this.#said.set(ip, mac);
    if (isNews) this.#setup.onNews(ip);
  }

  #takeAnswer(link: EthernetLink, { ip, mac, at }: Station & { readonly at: number }): void {
    const look = this.#looks.get(ip);
    if (look?.link !== link.name) return;
    const noted = noteAnswer(look, { mac, at }, this.#isMember);
    if (noted === look) return;
    this.#looks.set(ip, noted);
    // What was asked in advance nobody waits for.
    const isAwaited = look.isAhead !== true || this.#wanted.has(ip);
    if (isAwaited && !this.#isTakingIn) this.#setup.onAnswer(ip);
  }

  /** A stranger that goes on speaking from the address is believed anew by whom it speaks to. */
  #insists({ ip, mac, at }: Station & { readonly at: number }): boolean {
    const isStranger = this.#members?.has(mac) === false;
    return isStranger && at - (this.#claims.get(ip)?.at ?? -Infinity) > repeatMs;
  }

  #takeProbe(frame: NeighbourFrame, at: number): void {
    const ip = questionIn(frame);
    if (ip === undefined || !isGroupMac(frame.to)) return;
    const isWanted = this.#wanted.has(ip);
    if (!isWanted && !this.#looks.has(ip)) return;
    const isNew = this.#probes.note(ip, frame.from, at, this.#isMember);
    if (isNew && isWanted) this.#setup.onNews(ip);
  }

  #deafen(link: string): void {
    for (const [ip, look] of this.#looks) {
      if (look.link === link) this.#looks.set(ip, { ...look, isDeaf: true });
    }
  }

  /** Forgets what is too old to count, once a second at most. */
  tidy(): void {
    const now = this.#setup.clock.monotonic();
    if (now - this.#tidiedAt < tidyEveryMs) return;
    this.#tidiedAt = now;
    dropWhere(this.#claims, ({ at }) => now - at >= claimLifeMs);
    for (const each of [this.#announcements, this.#probes]) each.forgetBefore(now - claimLifeMs);
    const lifeMs = ({ isAhead }: Look) => (isAhead === true ? aheadLifeMs : lookLifeMs);
    dropWhere(this.#looks, (look) => now - (look.sentAt.at(-1) ?? 0) >= lifeMs(look));
  }
}
