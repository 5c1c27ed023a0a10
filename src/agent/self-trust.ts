/** Whether this node can rely on what it holds: its pulse, what it doubts, and what it has verified since. */

import type { AddressDecision } from '../decide/announcement/address-decision.ts';
import type { SelfView } from '../decide/announcement/node-snapshot.ts';
import {
  type Doubt,
  type Doubts,
  doubtOf,
  everyLink,
  idleBetween,
  noteDoubt,
  type Pulse,
} from '../decide/failover/distrust-self.ts';
import type { OwnPulse } from '../linux/own-pulse.ts';
import type { DoubtReason } from '../model/doubt-reasons.ts';
import type { Ip } from '../model/ip.ts';
import type { Cancel, Clock } from '../runtime/clock.ts';
import type { Log } from '../runtime/log.ts';
import type { AgentMetrics } from './agent-metrics.ts';
import type { Membership } from './membership.ts';

export interface SelfTrustSetup {
  readonly clock: Clock;
  readonly pulse: OwnPulse;
  readonly log: Log;
  readonly metrics: Pick<AgentMetrics, 'countDoubt' | 'yields'>;
  /** There is something to verify. */
  readonly onDoubt: () => void;
  /** Another member holds something too: which of them knows more of the cluster depends on who reaches the API server. */
  readonly onContest: () => void;
}

type Standing = Pick<Membership, 'isHealthy' | 'isLapsed' | 'durationMs' | 'lifetimePromise'>;

/** Of the Lease's duration: it is renewed twice in that time, and the watch tells of each renewal. */
const staleAfter = 2;

interface DoubtDetails {
  readonly lastsMs?: number;
  readonly idleMs?: number;
}

export class SelfTrust {
  readonly #setup: SelfTrustSetup;
  /** It did not run when it was idle for longer. */
  stallMs = 400;
  #last: Pulse;
  #doubts: Doubts;
  readonly #verifiedAt = new Map<Ip, number>();
  readonly #contests = new Map<Ip, { readonly since: number; readonly last: number }>();
  readonly #yieldedAt = new Map<Ip, number>();
  /** Of the last stall that counted. */
  #idleMs = 0;
  #isWatched = false;
  /** When somebody else feels its pulse. */
  #expectedAt = Infinity;
  #cancel: Cancel | undefined;

  constructor(setup: SelfTrustSetup) {
    this.#setup = setup;
    this.#last = this.#takePulse();
    const started: Doubt = { at: this.#last.monotonic, because: 'started' };
    this.#doubts = new Map([[everyLink, started]]);
  }

  get doubts(): Doubts {
    return this.#doubts;
  }

  /** As decisions are made by it. */
  view(standing: Standing, confirmedAt: number): SelfView {
    const { isHealthy, isLapsed, durationMs, lifetimePromise: promise } = standing;
    const ageMs = this.#setup.clock.monotonic() - confirmedAt;
    return {
      doubts: this.#doubts,
      verifiedAt: this.#verifiedAt,
      contestedSince: new Map([...this.#contests].map(([ip, { since }]) => [ip, since])),
      yieldedAt: this.#yieldedAt,
      confirmedAt,
      isBlind: !isHealthy,
      isLapsed,
      promise,
      isStale: !isHealthy || ageMs >= staleAfter * durationMs,
    };
  }

  /** From now on a stall is noticed also while there is nothing else to do. */
  start(): void {
    this.#isWatched = true;
    this.#checkLater();
  }

  stop(): void {
    this.#isWatched = false;
    this.#checkLater();
  }

  /** Somebody will `feel` then, and say when next: while holders are watched, this costs no wake of its own. */
  expect(at: number): void {
    this.#expectedAt = at;
    this.#checkLater();
  }

  /** Whoever checks puts this off. */
  #checkLater(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    const { clock } = this.#setup;
    const withinMs = this.stallMs * checkedWithin;
    if (!this.#isWatched || this.#expectedAt <= clock.monotonic() + withinMs) return;
    this.#cancel = clock.after(withinMs, () => this.check());
  }

  /** To be asked before anything is done that relies on having heard everything. */
  hasRunSince(time: number): boolean {
    this.check();
    return (this.#doubts.get(everyLink)?.at ?? -Infinity) <= time;
  }

  check(): void {
    this.feel();
    this.#checkLater();
  }

  /** The same, by whom it was expected. */
  feel(): void {
    const before = this.#last;
    this.#last = this.#takePulse();
    const idleMs = Math.round(idleBetween(before, this.#last));
    if (idleMs <= this.#patienceMs()) return;
    this.#idleMs = idleMs;
    this.doubt(everyLink, 'stalled', { idleMs });
  }

  /**
   * On a machine that is too busy one short stall follows another. While what the first one put in doubt is being
   * verified only a much longer one begins that anew: otherwise nothing would ever be verified, added or refreshed.
   */
  #patienceMs(): number {
    const at = this.#doubts.get(everyLink)?.at ?? -Infinity;
    const isRecent = this.#last.monotonic - at < verifyWithinMs;
    const isPending = isRecent && !this.#isVerifiedSince(at);
    return isPending ? Math.max(this.stallMs, 2 * this.#idleMs) : this.stallMs;
  }

  /** `lastsMs`: for so long at least there is no use in asking anybody. */
  doubt(link: string, because: DoubtReason, { lastsMs = 0, ...details }: DoubtDetails = {}): void {
    const { log, metrics, onDoubt, clock } = this.#setup;
    const known = doubtOf(this.#doubts, link);
    const at = clock.monotonic();
    this.#doubts = noteDoubt(this.#doubts, link, { at, because, until: at + lastsMs });
    // Once for as long as nothing was verified in between.
    const isNews = known?.because !== because || this.#isVerifiedSince(known.at);
    if (!isNews) return;
    metrics.countDoubt(because);
    const where = link === everyLink ? {} : { link };
    log.info('Not relying on what is held', { op: 'doubted', because, ...where, ...details });
    onDoubt();
  }

  /** What is not here has nothing to be verified. */
  note(decisions: readonly AddressDecision[]): void {
    const now = this.#setup.clock.monotonic();
    for (const decision of decisions) this.#noteOne(decision, now);
    for (const [ip, at] of this.#yieldedAt) if (now - at > yieldMs) this.#yieldedAt.delete(ip);
    for (const [ip, { last }] of this.#contests) {
      if (now - last > contestMs) this.#contests.delete(ip);
    }
  }

  #noteOne({ ip, outcome, verifiedAt, yields, defends }: AddressDecision, now: number): void {
    if (verifiedAt !== undefined) this.#verifiedAt.set(ip, verifiedAt);
    else if (outcome.kind === 'absent') this.#verifiedAt.delete(ip);
    if (defends === true) this.#noteContest(ip, now);
    if (yields !== true) return;
    this.#yieldedAt.set(ip, now);
    this.#setup.metrics.yields.add();
  }

  #noteContest(ip: Ip, now: number): void {
    const before = this.#contests.get(ip);
    this.#contests.set(ip, { since: before?.since ?? now, last: now });
    if (before === undefined) this.#setup.onContest();
  }

  #isVerifiedSince(at: number): boolean {
    return [...this.#verifiedAt.values()].some((each) => each > at);
  }

  #takePulse(): Pulse {
    const { clock, pulse } = this.#setup;
    return { monotonic: clock.monotonic(), boot: pulse.boot(), busy: pulse.busy() };
  }
}

/** Of a stall: with the defaults a little longer than it is between two questions to those that are watched. */
const checkedWithin = 0.27;
/** Far longer than the network takes to answer. */
const verifyWithinMs = 5_000;
/** Long after whoever it was given up to has answered once more, or not. */
const yieldMs = 5_000;
/** One that goes on is heard of again long before. */
const contestMs = 2_000;
