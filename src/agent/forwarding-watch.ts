/** Looks whether kube-proxy forwards for the addresses that this node is about to take for the first time. */

import type { AddressDecision } from '../decide/announcement/address-decision.ts';
import type { ForwardingView } from '../decide/announcement/await-forwarding.ts';
import type { Forwarding, ForwardingAnswer, ForwardingQuestion } from '../linux/forwarding.ts';
import type { Opening } from '../model/guard.ts';
import type { Ip } from '../model/ip.ts';
import type { Cancel, Clock } from '../runtime/clock.ts';
import type { Log } from '../runtime/log.ts';
import type { AgentMetrics } from './agent-metrics.ts';

export interface ForwardingWatchSetup {
  /** Absent: nobody can look, and nothing waits. */
  readonly forwarding?: Forwarding | undefined;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Pick<AgentMetrics, 'countForwarding'>;
  /** These addresses need not wait any longer. */
  readonly onNews: (ips: readonly Ip[]) => void;
}

interface Asked extends ForwardingQuestion {
  readonly since: number;
  openings: readonly Opening[];
  answer: ForwardingAnswer | undefined;
  /** Since when nothing else keeps the address from being taken. */
  waitsSince: number | undefined;
}

type Decided = Pick<AddressDecision, 'ip' | 'outcome' | 'reason' | 'forwards'>;

const lookAgainMs = 10;
/** Of the time, at most one part in so many goes into looking: thousands of addresses may be new at once. */
const restTimes = 10;

export class ForwardingWatch {
  readonly #setup: ForwardingWatchSetup;
  readonly #asked = new Map<Ip, Asked>();
  #isLooking = false;
  #isStopped = false;
  #cancel: Cancel = () => {};

  constructor(setup: ForwardingWatchSetup) {
    this.#setup = setup;
  }

  view(): ForwardingView | undefined {
    if (this.#setup.forwarding === undefined) return undefined;
    return new Map([...this.#asked].map(([ip, { since, answer }]) => [ip, { since, answer }]));
  }

  /** After each pass: what to look for follows from what was decided. `about`: a pass over these addresses alone. */
  attend(decisions: readonly Decided[], about?: ReadonlySet<Ip>): void {
    const now = this.#setup.clock.monotonic();
    const before = new Set(this.#asked.keys().filter((ip) => about?.has(ip) ?? true));
    for (const decision of decisions) {
      const { ip, forwards, reason } = decision;
      if (forwards === undefined) continue;
      before.delete(ip);
      const asked = this.#asked.get(ip) ?? this.#begin(ip, forwards, now);
      asked.openings = forwards;
      if (reason === 'awaitingForwarding') asked.waitsSince ??= now;
    }
    if (before.size > 0) this.#settle(before, decisions, now);
    if (!this.#isLooking && this.#pending().length > 0) void this.#look();
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancel();
  }

  #begin(ip: Ip, openings: readonly Opening[], since: number): Asked {
    const asked: Asked = { ip, since, openings, answer: undefined, waitsSince: undefined };
    this.#asked.set(ip, asked);
    return asked;
  }

  /** These are not asked for any longer: mostly since they were taken. */
  #settle(ips: ReadonlySet<Ip>, decisions: readonly Decided[], now: number): void {
    const taken = new Set(
      decisions.filter(({ outcome }) => outcome.kind === 'local').map(({ ip }) => ip),
    );
    for (const ip of ips) {
      const asked = this.#asked.get(ip);
      this.#asked.delete(ip);
      if (asked !== undefined && taken.has(ip)) this.#count(ip, asked, now);
    }
  }

  #count(ip: Ip, asked: Asked, now: number): void {
    const { metrics, log } = this.#setup;
    const waitedMs = asked.waitsSince === undefined ? 0 : now - asked.waitsSince;
    const outcome = outcomeOf(asked);
    metrics.countForwarding(outcome, waitedMs / 1000);
    if (outcome !== 'timeout') return;
    log.info('kube-proxy does not forward yet', { op: 'forwardingTimeout', ip, waitedMs });
  }

  #pending(): readonly Asked[] {
    const isOpen = ({ answer }: Asked) => answer === undefined || answer === 'missing';
    return [...this.#asked.values()].filter(isOpen);
  }

  async #look(): Promise<void> {
    const { clock, onNews } = this.#setup;
    this.#cancel();
    this.#isLooking = true;
    const startedAt = clock.monotonic();
    const ready = await this.#askAll();
    this.#isLooking = false;
    if (this.#isStopped) return;
    if (ready.length > 0) onNews(ready);
    const pending = this.#pending();
    if (pending.length === 0) return;
    const isNew = pending.some(({ answer }) => answer === undefined);
    const tookMs = clock.monotonic() - startedAt;
    const restMs = isNew ? 0 : Math.max(lookAgainMs, restTimes * tookMs);
    this.#cancel = clock.after(restMs, () => void this.#look());
  }

  /** Addresses that waited for it, and can go on. */
  async #askAll(): Promise<readonly Ip[]> {
    const pending = this.#pending();
    const answers = await this.#setup.forwarding?.look(pending).catch(() => undefined);
    for (const [index, asked] of pending.entries()) asked.answer = answers?.[index] ?? 'unreadable';
    const isReady = ({ answer, waitsSince }: Asked) =>
      answer !== 'missing' && waitsSince !== undefined;
    return pending.filter(isReady).map(({ ip }) => ip);
  }
}

/** `standing`: the rules were there before anything else was ready. */
export type ForwardingOutcome = 'standing' | 'waited' | 'timeout' | 'unreadable';

function outcomeOf({ answer, waitsSince }: Asked): ForwardingOutcome {
  if (answer === 'unreadable') return 'unreadable';
  if (answer !== 'standing') return 'timeout';
  return waitsSince === undefined ? 'standing' : 'waited';
}
