/**
 * Asks peers for a signed statement that they own an address, for an agent that cannot read the cluster. It knows no
 * member and no member's address, so it asks the peers that named the address in a signed packet: a successor asks this
 * node before it takes an address over, and sends its owner's notice when this node probes for the address. Such a
 * packet may be a recording, so it only prompts the question; the answer counts with the random number of the question.
 */

import type { SignedWord } from '../decide/announcement/settle-contest.ts';
import { inquiryMs } from '../decide/failover/plan-inquiries.ts';
import type { Ip } from '../model/ip.ts';
import type { Clock } from '../runtime/clock.ts';
import type { Hint } from '../wire/hint.ts';
import type { HintSender, Hints } from './hints.ts';

export interface SignedClaimsSetup {
  readonly hints: Pick<Hints, 'reply'>;
  readonly clock: Clock;
  /** Of 48 bits, that nobody can guess. */
  readonly drawNumber: () => number;
  /** A peer has stated that it owns an address of this node. */
  readonly onNews: () => void;
}

interface Claimant {
  readonly sender: HintSender;
  askedAt: number;
  word: SignedWord | undefined;
}

interface Question {
  readonly ip: Ip;
  readonly node: string;
  readonly at: number;
}

/** A packet may be lost. */
const againMs = 200;
/** For each address; more peers than would ever claim one address at the same time. */
const mostClaimants = 8;

export class SignedClaims {
  readonly #setup: SignedClaimsSetup;
  /** By address and node, the peers that named the address in a signed packet. */
  readonly #claimants = new Map<Ip, Map<string, Claimant>>();
  /** By their number. */
  readonly #open = new Map<number, Question>();
  #held: ReadonlySet<Ip> = new Set();

  constructor(setup: SignedClaimsSetup) {
    this.#setup = setup;
  }

  /** The addresses of Services that this node holds. */
  attend(held: ReadonlySet<Ip>): void {
    this.#held = held;
    const now = this.#setup.clock.monotonic();
    for (const ip of this.#claimants.keys()) if (!held.has(ip)) this.#claimants.delete(ip);
    for (const [number, { at }] of this.#open) if (now - at > inquiryMs) this.#open.delete(number);
  }

  wordsFor(ip: Ip): readonly SignedWord[] {
    return [...(this.#claimants.get(ip)?.values() ?? [])].flatMap(({ word }) => word ?? []);
  }

  /** Repeats the question to every peer that named the address. */
  ask(ips: Iterable<Ip>): void {
    for (const ip of ips) {
      for (const claimant of this.#claimants.get(ip)?.values() ?? []) this.#ask(ip, claimant);
    }
  }

  hear(hint: Hint, sender: HintSender): void {
    const { node, keyId } = sender;
    if (node === undefined || keyId === undefined) return;
    if (hint.kind === 'affirmation') this.#hearAnswer(hint, node);
    const isClaim = hint.kind === 'question' || hint.kind === 'affirmation';
    if (isClaim && this.#held.has(hint.ip)) this.#ask(hint.ip, this.#meet(hint.ip, node, sender));
  }

  #hearAnswer({ ip, number, isSure }: Extract<Hint, { kind: 'affirmation' }>, node: string): void {
    const question = this.#open.get(number);
    const claimant = this.#claimants.get(ip)?.get(node);
    if (question?.ip !== ip || question.node !== node || claimant === undefined) return;
    claimant.word = { node, isSure, askedAt: question.at };
    this.#setup.onNews();
  }

  #meet(ip: Ip, node: string, sender: HintSender): Claimant {
    const known = this.#claimants.get(ip) ?? new Map<string, Claimant>();
    this.#claimants.set(ip, known);
    const before = known.get(node);
    const claimant = { sender, askedAt: before?.askedAt ?? -Infinity, word: before?.word };
    // The peer that spoke last is kept longest.
    known.delete(node);
    known.set(node, claimant);
    const [oldest] = known.keys();
    if (known.size > mostClaimants && oldest !== undefined) known.delete(oldest);
    return claimant;
  }

  #ask(ip: Ip, claimant: Claimant): void {
    const { hints, clock, drawNumber } = this.#setup;
    const { sender } = claimant;
    const now = clock.monotonic();
    if (sender.node === undefined || now - claimant.askedAt < againMs) return;
    claimant.askedAt = now;
    const number = drawNumber();
    this.#open.set(number, { ip, node: sender.node, at: now });
    hints.reply({ kind: 'question', ip, number }, sender);
  }
}
