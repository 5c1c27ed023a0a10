/**
 * Everything between plans and address sources other than our own ranges. It asks beside the reconciler, each pool
 * apart, only while this allocator leads; what comes back is part of the next snapshot.
 */

import type { AllocationPlan, ServiceDecision } from '../decide/allocation/allocation-plan.ts';
import type {
  AllocationState,
  SourceAnswer,
  SourceReport,
} from '../decide/allocation/allocation-state.ts';
import type { Wait } from '../decide/allocation/obstacle.ts';
import { usesPool } from '../decide/allocation/pool-users.ts';
import { findSlotUse, type LeavingSlot } from '../decide/allocation/slot-use.ts';
import { isSharedOwner } from '../decide/allocation/source-slots.ts';
import type { AddressSource, SourceFailure } from '../ipam/address-source.ts';
import { familyOf, type Ip } from '../model/ip.ts';
import type { LoadBalancer } from '../model/load-balancer.ts';
import type { Pool } from '../model/pool.ts';
import type { Cancel, Clock } from '../runtime/clock.ts';
import type { Log } from '../runtime/log.ts';
import { releaseUnused, SourceAsks } from './source-asks.ts';
import { SourceAudit } from './source-audits.ts';
import { auditSource, type Counter, readCounts, specOf } from './source-counter.ts';
import { type Observation, SourceLine } from './source-line.ts';
import { SourceReturns } from './source-returns.ts';

export interface SourceDeskOptions {
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Log;
  readonly openSource: (pool: Pool) => AddressSource;
  readonly protection: SourceProtection;
  /** Whether this allocator leads, by the clock. */
  readonly mayAsk: () => boolean;
  readonly services: () => readonly LoadBalancer[];
  /** Addresses that a write under way gives the Service with this key. */
  readonly underWay: (key: string) => readonly Ip[];
  /** What holds now, freshly read; undefined where that failed. */
  readonly look: () => Promise<Pick<AllocationState, 'services' | 'pools'> | undefined>;
  readonly observe: (observation: Observation) => void;
  readonly onPlanNeeded: () => void;
  readonly onReturnFailed: (service: LoadBalancer, message: string, isGivenUp: boolean) => void;
}

/** Keeps the group of a pool from being deleted while its source has records for it. */
export interface SourceProtection {
  /** Before the first record is made; a failure says why none may be. */
  readonly protect: (pool: Pool) => Promise<SourceFailure | undefined>;
  readonly isProtected: (pool: Pool) => boolean;
  /** Why the group cannot be kept, for its owner. */
  readonly warningsOf: (pool: Pool) => readonly string[];
}

/** How often a source is looked through and its counts are read. */
const auditEveryMs = 240_000;
/** While the deletion of a group waits for nothing else. */
const lastAuditEveryMs = 15_000;
/** Counts are read after changes, but not after each. */
const countAfterMs = 5_000;

/** The last plan, with the answers that it was made from: later ones it says nothing about. */
interface Followed {
  readonly plan: AllocationPlan;
  readonly answers: ReadonlyMap<string, SourceAnswer>;
  readonly isWriting: (key: string) => boolean;
}

export class SourceDesk {
  readonly #options: SourceDeskOptions;
  readonly #asks: SourceAsks;
  readonly #returns: SourceReturns;
  readonly #counters = new Map<string, Counter>();
  #last: Followed | undefined;
  #cancel: Cancel | undefined;

  constructor(options: SourceDeskOptions) {
    this.#options = options;
    const { clock, random, onPlanNeeded: onNews, onReturnFailed: onFailure } = options;
    const findUse = this.#findUse.bind(this);
    const isUsed = this.#isUsed.bind(this);
    this.#asks = new SourceAsks({ clock, random, onNews, isUsed });
    this.#returns = new SourceReturns({ clock, random, findUse, onNews, onFailure });
  }

  #findUse(slot: LeavingSlot, { countsSharers }: SourceLine): 'own' | 'others' | undefined {
    const { services, underWay } = this.#options;
    const all = services();
    // Each of those that share is on the books of such a source by itself.
    const isOne = countsSharers && isSharedOwner(slot.owner);
    const concerned = isOne ? all.filter(({ identity }) => identity.uid === slot.leaving) : all;
    return findSlotUse(slot, { services: concerned, answers: this.#asks.answers, underWay });
  }

  #isUsed(slot: LeavingSlot, line: SourceLine): boolean {
    return this.#findUse(slot, line) !== undefined;
  }

  /** What plans need to know of sources. */
  get findings() {
    const retired = [...this.#counters.values()].filter(({ isRetired }) => isRetired);
    return {
      answers: this.#asks.answers,
      returned: this.#returns.returned,
      retired: new Map(retired.map(({ line }) => [line.pool.name, line.pool])),
      sources: this.#reports,
    };
  }

  get #reports(): ReadonlyMap<string, SourceReport> {
    const reports = new Map<string, SourceReport>();
    for (const [name, { line, audit, counts, isClearing }] of this.#counters) {
      const { report } = line;
      if (report === undefined) continue;
      const unprotected = this.#options.protection.warningsOf(line.pool);
      const warnings = [...report.warnings, ...unprotected, ...audit.warnings];
      const remaining = isClearing ? audit.remaining : undefined;
      reports.set(name, { ...report, warnings, stats: counts, remaining });
    }
    return reports;
  }

  forget(service: string, uid: string): void {
    this.#asks.forget(service);
    this.#returns.forget(uid);
  }

  /** This allocator leads no longer: whoever does asks for itself. */
  end(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    this.#last = undefined;
    for (const { line } of this.#counters.values()) line.close();
    this.#counters.clear();
    this.#asks.clear();
    this.#returns.clear();
  }

  /** Asks for what the plan waits for. `isWriting`: whether a write to the Service is on its way. */
  follow(
    plan: AllocationPlan,
    { pools }: Pick<AllocationState, 'pools'>,
    isWriting: (key: string) => boolean,
  ): void {
    this.#last = { plan, isWriting, answers: new Map(this.#asks.answers) };
    this.#keepCounters(pools.pools);
    if (this.#counters.size > 0) this.#pump();
  }

  #keepCounters(pools: readonly Pool[]): void {
    const wanted = new Map(pools.map((pool) => [pool.name, pool]));
    for (const [name, counter] of this.#counters) {
      if (this.#isKept(counter, wanted.get(name))) continue;
      counter.line.close();
      this.#counters.delete(name);
    }
    for (const pool of pools) {
      if (pool.source.kind === 'cluster') continue;
      const counter = this.#counters.get(pool.name) ?? this.#openCounter(pool);
      this.#counters.set(pool.name, counter);
      this.#noteDeletion(counter, pool);
    }
  }

  /** A group that is being deleted and that no Service uses waits for nothing but a search of its source. */
  #noteDeletion(counter: Counter, { name, identity }: Pool): void {
    const isUsed = () => this.#options.services().some((service) => usesPool(service, name));
    const isClearing = identity.isDeleting && !isUsed();
    if (isClearing && !counter.isClearing) {
      counter.auditAt = this.#options.clock.monotonic();
      counter.audit.forgetRemaining();
    }
    counter.isClearing = isClearing;
  }

  /** While Services have addresses from a group that is gone its source is kept, so that it gets them back. */
  #isKept(counter: Counter, pool: Pool | undefined): boolean {
    const { services, log } = this.#options;
    const wasRetired = counter.isRetired;
    counter.isRetired = false;
    if (pool !== undefined) return specOf(pool) === counter.spec;
    const { name } = counter.line.pool;
    const users = services().filter((service) => usesPool(service, name));
    counter.isRetired = users.length > 0;
    if (counter.isRetired && !wasRetired) {
      const message = 'ServiceGroup is gone; its source gets the addresses back as Services leave';
      log.warn(message, { pool: name, services: users.length });
    }
    return counter.isRetired;
  }

  #openCounter(pool: Pool): Counter {
    const { clock, random, log, look, mayAsk, observe, onPlanNeeded, protection } = this.#options;
    const onTurn = () => {
      this.#pump();
      onPlanNeeded();
    };
    const source = this.#options.openSource(pool);
    const line = new SourceLine({
      ...{ pool, source, clock, random, mayAsk, observe, onTurn },
      prepare: () => protection.protect(pool),
      hasPredecessor: protection.isProtected(pool),
    });
    const isUsed = (slot: LeavingSlot) => this.#isUsed(slot, line);
    const audit = new SourceAudit({ line, clock, log, look, isUsed, onNews: onPlanNeeded });
    const spec = specOf(pool);
    const times = { auditAt: -Infinity, countAt: -Infinity };
    const state = { isRetired: false, isClearing: false, counts: undefined };
    return { line, audit, spec, ...state, ...times };
  }

  /** Starts whatever is due. */
  #pump(): void {
    if (this.#last === undefined) return;
    const { plan, isWriting, answers } = this.#last;
    for (const decision of plan.decisions) {
      // What tells others that a source may have something must be written before it is asked.
      if (decision.kind === 'ignore' || isWriting(decision.service.key)) continue;
      this.#serve(decision, answers.get(decision.service.key));
    }
    for (const counter of this.#counters.values()) this.#lookAfter(counter);
    this.#wakeLater();
  }

  #serve(decision: ServiceDecision, judged: SourceAnswer | undefined): void {
    const { waitsFor, isChange } = decision;
    const isAsking = waitsFor.some(
      (wait) => wait.kind === 'source' && this.#counters.has(wait.request.pool),
    );
    if (!isAsking) this.#asks.settle(decision);
    if (!isChange) for (const wait of waitsFor) this.#attend(decision, wait, judged);
  }

  #attend(decision: ServiceDecision, wait: Wait, judged: SourceAnswer | undefined): void {
    const { service } = decision;
    if (wait.kind === 'return') {
      const counter = this.#counters.get(wait.pool);
      if (counter === undefined) return;
      this.#returns.want(service, counter.line);
      this.#countSoon(counter);
    }
    if (wait.kind !== 'source') return;
    const counter = this.#counters.get(wait.request.pool);
    const wish = { decision, request: wait.request, judged };
    if (counter === undefined || !this.#asks.want(wish, counter.line)) return;
    this.#returns.reopen(service.identity.uid, wait.request.pool);
    this.#countSoon(counter);
  }

  /** Families that a Service gave up while it keeps others of the same pool. */
  giveUp({ service, givesUp, grant }: ServiceDecision): void {
    const kept = new Set(grant.ingress.map(familyOf));
    for (const { ip, pool = '' } of givesUp) {
      const line = this.#counters.get(pool)?.line;
      const family = familyOf(ip);
      if (line === undefined || !grant.pools.includes(pool) || kept.has(family)) continue;
      void releaseUnused(service, ip, { line, isUsed: this.#isUsed.bind(this) });
    }
  }

  #countSoon(counter: Counter): void {
    const at = this.#options.clock.monotonic() + countAfterMs;
    if (counter.countAt > at || counter.countAt <= at - countAfterMs) counter.countAt = at;
  }

  #lookAfter(counter: Counter): void {
    if (!counter.line.isOpen) return;
    const now = this.#options.clock.monotonic();
    if (now >= counter.auditAt && counter.line.canList) {
      const isFirst = counter.auditAt === -Infinity;
      const isSoonOver = counter.isClearing && counter.audit.remaining?.isSuspicious !== true;
      counter.auditAt = now + (isSoonOver ? lastAuditEveryMs : auditEveryMs);
      void auditSource(counter, isFirst);
    }
    if (now >= counter.countAt) {
      counter.countAt = now + auditEveryMs;
      void this.#count(counter);
    }
  }

  async #count(counter: Counter): Promise<void> {
    const counts = await readCounts(counter.line);
    if (counts === undefined) return;
    counter.counts = counts;
    this.#options.onPlanNeeded();
  }

  #wakeLater(): void {
    this.#cancel?.();
    const { clock } = this.#options;
    let at = Math.min(this.#asks.nextTryAt(), this.#returns.nextTryAt());
    for (const { line, auditAt, countAt } of this.#counters.values()) {
      if (line.isOpen) at = Math.min(at, line.canList ? auditAt : Infinity, countAt);
    }
    const inMs = Math.max(10, at - clock.monotonic());
    this.#cancel = at === Infinity ? undefined : clock.after(inMs, () => this.#pump());
  }
}
