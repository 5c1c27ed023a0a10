/**
 * Asks sources for what plans wait for, one question for each Service, and keeps the answers until they are written on
 * it. After an answer without an address the source is asked again, later each time. An address that a plan refused goes
 * back, unless anyone uses its slot.
 */

import type { ServiceDecision } from '../decide/allocation/allocation-plan.ts';
import type {
  SourceAnswer,
  SourceFailing,
  SourceRequest,
} from '../decide/allocation/allocation-state.ts';
import { sourceName } from '../decide/allocation/fill-from-source.ts';
import type { LeavingSlot } from '../decide/allocation/slot-use.ts';
import { slotOwner } from '../decide/allocation/source-slots.ts';
import { isFailure, type Slot } from '../ipam/address-source.ts';
import { type Family, familyOf, type Ip } from '../model/ip.ts';
import type { LoadBalancer } from '../model/load-balancer.ts';
import type { Pool } from '../model/pool.ts';
import type { Prefix } from '../model/prefix.ts';
import { type Backoff, backoffDelay } from '../runtime/backoff.ts';
import type { Cancel, Clock } from '../runtime/clock.ts';
import { isFault, type SourceLine } from './source-line.ts';

export interface SourceAsksOptions {
  readonly clock: Clock;
  readonly random: () => number;
  readonly onNews: () => void;
  /** Whether anyone has, or is about to be given, what is in the slot. */
  readonly isUsed: (slot: LeavingSlot, line: SourceLine) => boolean;
}

interface Question {
  /** The request as text: another one is another question. */
  readonly text: string;
  readonly service: LoadBalancer;
  readonly request: SourceRequest;
  readonly line: SourceLine;
  isRunning: boolean;
  failures: number;
  /** Monotonic; after an answer that is not the last word. */
  retryAt: number;
}

/** What a plan waits for, and the answer that it knew when it was made. */
export interface SourceWish {
  readonly decision: ServiceDecision;
  readonly request: SourceRequest;
  readonly judged: SourceAnswer | undefined;
}

/** Each plan looks at every Service: while more answers are to come, those of so long make one of them. */
const gatherMs = 25;

/** Addresses become free and configurations are mended by people: nobody needs to know within a second. */
const retries: Backoff = { firstMs: 2_000, factor: 2, longestMs: 300_000, jitter: 0.3 };
/** A source that did not answer is asked again soon after it does. */
const outageRetries: Backoff = { ...retries, longestMs: 20_000 };

export class SourceAsks {
  readonly #options: SourceAsksOptions;
  readonly #questions = new Map<string, Question>();
  readonly #answers = new Map<string, SourceAnswer>();
  #running = 0;
  #cancelNews: Cancel | undefined;

  constructor(options: SourceAsksOptions) {
    this.#options = options;
  }

  /** By the Service's key. */
  get answers(): ReadonlyMap<string, SourceAnswer> {
    return this.#answers;
  }

  clear(): void {
    this.#cancelNews?.();
    this.#cancelNews = undefined;
    this.#questions.clear();
    this.#answers.clear();
  }

  forget(service: string): void {
    this.#questions.delete(service);
    this.#answers.delete(service);
  }

  /** Monotonic time at which something is to be asked again. */
  nextTryAt(): number {
    let first = Infinity;
    for (const { isRunning, retryAt, line } of this.#questions.values()) {
      if (!isRunning && line.isOpen && retryAt < first) first = retryAt;
    }
    return first;
  }

  /** The Service waits for a source: true where it is asked now, for the first time or again. */
  want({ decision, request, judged }: SourceWish, line: SourceLine): boolean {
    const { service } = decision;
    const question = this.#open(service, request, line);
    if (question.isRunning) return false;
    const answer = this.#answers.get(service.key);
    const hasAddresses = answer !== undefined && answer.addresses.length > 0;
    // A plan that did not know the answer cannot have refused it.
    if (decision.kind === 'refuse' && hasAddresses && answer === judged) {
      void this.#giveBack(question, answer, decision);
      return false;
    }
    if (!line.isOpen) {
      if (!hasAddresses) this.#publishFailure(question);
      return false;
    }
    const isDue = answer === undefined || this.#options.clock.monotonic() >= question.retryAt;
    if (isDue) void this.#ask(question);
    return isDue;
  }

  /** The Service waits for no source: its answer is of use only until it is written. */
  settle({ kind, service }: ServiceDecision): void {
    const question = this.#questions.get(service.key);
    if (question === undefined || question.isRunning || kind === 'assign') return;
    this.forget(service.key);
  }

  #open(service: LoadBalancer, request: SourceRequest, line: SourceLine): Question {
    const text = JSON.stringify([service.identity.uid, request]);
    const known = this.#questions.get(service.key);
    const isSame = known?.text === text && known.line === line;
    if (known !== undefined && (isSame || known.isRunning)) return known;
    this.#answers.delete(service.key);
    const fresh = { isRunning: false, failures: 0, retryAt: -Infinity };
    const question: Question = { text, service, request, line, ...fresh };
    this.#questions.set(service.key, question);
    return question;
  }

  /** Nobody can be asked now, and the Service should say so. */
  #publishFailure({ service, request, line }: Question): void {
    const { failure } = line;
    if (failure === undefined) return;
    const { reason, message } = failure;
    const before = this.#answers.get(service.key)?.failures[0]?.message;
    if (before === message) return;
    const failures = request.families.map((family) => ({ family, reason, message }));
    this.#answers.set(service.key, { pool: line.pool.name, addresses: [], failures });
    this.#options.onNews();
  }

  #begin(question: Question): void {
    question.isRunning = true;
    this.#running += 1;
  }

  async #ask(question: Question): Promise<void> {
    const { line, request } = question;
    this.#begin(question);
    const parts = await Promise.all(
      request.families.map((family) => this.#askFor(question, family)),
    );
    const addresses = parts.flatMap((part) => ('ip' in part ? [part] : []));
    const failures = parts.flatMap((part) => ('ip' in part ? [] : [part]));
    this.#finish(question, { pool: line.pool.name, addresses, failures });
  }

  async #askFor(
    { service, request, line }: Question,
    family: Family,
  ): Promise<Prefix | SourceFailing> {
    const slot = slotFor(service, line.pool, family);
    const wish = request.addresses.find((ip) => familyOf(ip) === family);
    const outcome = await line.run(slot.owner, 'allocate', (source, signal) =>
      source.allocate({ ...slot, wish }, signal),
    );
    if (!isFailure(outcome)) return outcome.address;
    const { reason, message } = outcome;
    return { family, reason, message };
  }

  #finish(question: Question, answer: SourceAnswer): void {
    const { clock, random } = this.#options;
    const { key } = question.service;
    question.isRunning = false;
    this.#running -= 1;
    if (this.#questions.get(key) !== question) return;
    // An address does not end the failures: a plan may refuse it. The question ends when the Service has an address.
    if (answer.failures.length > 0) question.failures += 1;
    const pauses = answer.failures.some(isFault) ? outageRetries : retries;
    question.retryAt =
      answer.failures.length === 0
        ? Infinity
        : clock.monotonic() + backoffDelay(pauses, question.failures, random);
    this.#answers.set(key, answer);
    this.#tellNews();
  }

  #tellNews(): void {
    const { clock, onNews } = this.#options;
    const tell = () => {
      this.#cancelNews?.();
      this.#cancelNews = undefined;
      onNews();
    };
    if (this.#running === 0) tell();
    else this.#cancelNews ??= clock.after(gatherMs, tell);
  }

  /** It came and was refused, or its other half did not come: nobody must go without because of it. */
  async #giveBack(
    question: Question,
    { addresses, failures }: SourceAnswer,
    { condition }: ServiceDecision,
  ): Promise<void> {
    const { service, line } = question;
    const { isUsed } = this.#options;
    this.#begin(question);
    const families = [...new Set(addresses.map(({ ip }) => familyOf(ip)))];
    const said = textAfter(condition?.message ?? '', `${sourceName(line.pool)} `);
    const message = failures[0]?.message ?? said;
    const refused = families.map(
      (family): SourceFailing => ({ family, reason: 'conflict', message }),
    );
    const answer = { pool: line.pool.name, addresses: [], failures: [...refused, ...failures] };
    // Before anything is released: no plan may assign an address that is on its way back.
    this.#answers.set(service.key, answer);
    await Promise.all(addresses.map(({ ip }) => releaseUnused(service, ip, { line, isUsed })));
    this.#finish(question, answer);
  }
}

/** Gives an address of a Service back to its source, unless anyone uses its slot when its turn comes. */
export function releaseUnused(
  service: LoadBalancer,
  address: Ip,
  { line, isUsed }: { readonly line: SourceLine; readonly isUsed: SourceAsksOptions['isUsed'] },
) {
  const slot = { ...slotFor(service, line.pool, familyOf(address)), address };
  const leaving = { ...slot, pool: line.pool, leaving: service.identity.uid };
  return line.run(slot.owner, 'release', async (source, signal) =>
    isUsed(leaving, line) ? released : source.release(slot, signal),
  );
}

const released = { kind: 'released' } as const;

function textAfter(text: string, start: string): string {
  const at = text.indexOf(start);
  return at < 0 ? text : text.slice(at + start.length);
}

export function slotFor(service: LoadBalancer, pool: Pool, family: Family): Slot {
  return {
    pool: pool.name,
    owner: slotOwner(service, pool),
    family,
    service: service.key,
    sharingKey: service.request.sharingKey,
  };
}
