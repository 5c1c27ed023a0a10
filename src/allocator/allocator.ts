/** Services → addresses: watches, plans whenever something changed, and writes while it leads. */

import { allocate } from '../decide/allocation/allocate.ts';
import { AllocationMemory } from '../decide/allocation/allocation-memory.ts';
import type { AllocationPlan, ServiceDecision } from '../decide/allocation/allocation-plan.ts';
import type { AllocationSettings, AllocationState } from '../decide/allocation/allocation-state.ts';
import type { AddressSource } from '../ipam/address-source.ts';
import type { Cluster } from '../kube/cluster.ts';
import { LeadershipLostError } from '../kube/elector.ts';
import type { EventRecorder } from '../kube/event-recorder.ts';
import type { Pool } from '../model/pool.ts';
import { logWatch } from '../program/log-watch.ts';
import { backoffDelay, defaultBackoff } from '../runtime/backoff.ts';
import { type Clock, sleep } from '../runtime/clock.ts';
import type { Log } from '../runtime/log.ts';
import { type ReconcileResult, Reconciler } from '../runtime/reconciler.ts';
import { logElection } from './allocator-log.ts';
import type { AllocatorMetrics } from './allocator-metrics.ts';
import { catchUp } from './catch-up.ts';
import { type Election, Leadership, type LeadershipOptions } from './leadership.ts';
import { NodeSightings } from './node-sightings.ts';
import { PlanCarrier } from './plan-carrier.ts';
import { PolicyRewrites } from './policy-rewrites.ts';
import { Snapshots } from './snapshot.ts';
import { SourceDesk } from './source-desk.ts';
import { openNone, type SourceContext } from './source-kinds.ts';
import { wakeOnChanges } from './wake-on-changes.ts';
import { WatchedObjects } from './watched-objects.ts';

export interface AllocatorSetup extends Pick<LeadershipOptions, 'whileLeading'> {
  readonly cluster: Cluster;
  readonly clock: Clock;
  /** 0 ≤ x < 1. */
  readonly random: () => number;
  readonly log: Log;
  readonly metrics: AllocatorMetrics;
  readonly events: EventRecorder;
  /** Empty when it is not known. */
  readonly installNamespace: string;
  readonly settings: AllocationSettings;
  /** Undefined: this is the only allocator there can be. */
  readonly election: Election | undefined;
  /** Absent: only ranges of our own can be used. */
  readonly openSource?: (pool: Pool, context: SourceContext) => AddressSource;
}

/** What is remembered of the last plan: a plan of 10,000 Services is as large as they are. */
export interface PlanRecord {
  /** How many there were. */
  readonly number: number;
  /** Epoch ms. */
  readonly at: number;
  readonly tookMs: number;
}

/** How long an end in good order waits for the answers to what was sent. */
const graceMs = 5_000;
/** Leases of many nodes change many times a second; none of that is urgent. */
const lookEveryMs = 250;
/** The wall clock may be set: what ends by it must not wait for hours. */
const longestSleepMs = 60_000;

export class Allocator {
  readonly objects: WatchedObjects;
  readonly leadership: Leadership;
  readonly reconciler: Reconciler<'plan' | 'nodes'>;
  readonly #setup: AllocatorSetup;
  readonly #sightings: NodeSightings;
  readonly #rewrites: PolicyRewrites;
  readonly #sources: SourceDesk;
  readonly #snapshots = new Snapshots();
  readonly #memory = new AllocationMemory();
  readonly #carrier: PlanCarrier;
  #isWriting = false;
  #isLookPlanned = false;
  /** The last plan left something undone for what it did itself. */
  #isAnyoneWaiting = false;
  #last: PlanRecord | undefined;

  constructor(setup: AllocatorSetup) {
    const { clock, log } = setup;
    this.#setup = setup;
    this.objects = new WatchedObjects({
      ...setup,
      observe: (what, observation) => logWatch(log, what, observation),
      onListenerError: (error) => log.error('Listener failed', { error }),
    });
    this.leadership = new Leadership({
      ...setup,
      observe: (observation) => logElection(log, observation),
    });
    this.#sightings = new NodeSightings(clock);
    this.#rewrites = new PolicyRewrites(clock);
    this.reconciler = new Reconciler({
      clock,
      random: setup.random,
      reconcile: async (key) => (key === 'plan' ? this.#plan() : this.#look()),
      onError: ({ key, error, failures }) => {
        setup.metrics.failures.add();
        log.error('Reconciliation failed', { what: key, failures, error });
      },
    });
    this.#carrier = new PlanCarrier({
      ...setup,
      objects: this.objects,
      rewrites: this.#rewrites,
      writesForMs: () => this.leadership.actsForMs,
      onPlanNeeded: () => this.reconciler.wake('plan'),
      onWritten: (decision) => this.#sources.giveUp(decision),
    });
    this.#sources = this.#openDesk();
  }

  #openDesk(): SourceDesk {
    const { clock, random, log, metrics, openSource = openNone } = this.#setup;
    const context = { clusterUid: () => this.objects.clusterUid };
    return new SourceDesk({
      clock,
      random,
      log,
      openSource: (pool) => openSource(pool, context),
      protection: this.#carrier.finalizers,
      mayAsk: () => this.isWriting,
      services: () => this.objects.balancers.all,
      underWay: (key) => this.#carrier.pending.get(key)?.decision.grant.ingress ?? [],
      look: () => this.#lookAfresh(),
      observe: (observation) => metrics.noteSourceCall(observation),
      onPlanNeeded: () => this.reconciler.wake('plan'),
      onReturnFailed: (...failure) => this.#carrier.noteReturnFailed(...failure),
    });
  }

  /** By a list, not by what was watched. */
  async #lookAfresh(): Promise<Pick<AllocationState, 'services' | 'pools'> | undefined> {
    const { cluster, log } = this.#setup;
    try {
      await catchUp(cluster, this.objects, AbortSignal.any([]));
      const { services, pools } = this.#snapshot();
      // The list is used again by the next snapshot.
      return { services: [...services], pools };
    } catch (error) {
      log.warn('Current state could not be read', { error });
      return undefined;
    }
  }

  /** The last plan, made by whoever leads and by those that stand by alike. */
  get last(): PlanRecord | undefined {
    return this.#last;
  }

  /** It leads, and has seen all that its predecessor wrote. */
  get isWriting(): boolean {
    return this.#isWriting && this.leadership.isCurrent;
  }

  get pendingWrites(): number {
    return this.#carrier.pending.size;
  }

  /** Until the signal is aborted; what was sent is answered and the Lease released before it returns. */
  async run(signal: AbortSignal): Promise<void> {
    const undo = this.#subscribe();
    void this.objects.whenSynced().then(() => {
      this.reconciler.wake('nodes');
      this.reconciler.wake('plan');
    });
    try {
      await Promise.all([
        this.objects.run(signal),
        this.leadership.run(signal, (leadership) => this.#lead(leadership)),
      ]);
    } finally {
      undo();
      await this.reconciler.stop();
    }
  }

  #subscribe(): () => void {
    return wakeOnChanges(this.objects, {
      onPlanNeeded: () => {
        if (!this.#carrier.isOwnNews || this.#isAnyoneWaiting) this.reconciler.wake('plan');
      },
      onLeaseChange: () => this.#lookSoon(),
      onServiceGone: (key, uid) => {
        this.#carrier.forget(key);
        this.#rewrites.forget(key);
        this.#sources.forget(key, uid);
      },
      onPolicyLocal: (key) => this.#rewrites.noteLocal(key),
    });
  }

  async #lead(leadership: AbortSignal): Promise<void> {
    try {
      await this.#catchUp(leadership);
      this.#carrier.begin(leadership);
      this.#isWriting = true;
      this.reconciler.wake('plan');
      await untilAborted(leadership);
    } finally {
      this.#isWriting = false;
      this.#sources.end();
      const isLost = leadership.reason instanceof LeadershipLostError;
      await this.#carrier.end(isLost ? 0 : graceMs);
    }
  }

  async #catchUp(leadership: AbortSignal): Promise<void> {
    const { cluster, clock, random, log } = this.#setup;
    await Promise.race([this.objects.whenSynced(), untilAborted(leadership)]);
    for (let failures = 1; ; failures += 1) {
      leadership.throwIfAborted();
      try {
        await catchUp(cluster, this.objects, leadership);
        return;
      } catch (error) {
        leadership.throwIfAborted();
        log.warn('Current state could not be read', { error });
        await sleep(clock, backoffDelay(defaultBackoff, failures, random), leadership);
      }
    }
  }

  /** What would be decided now, for whoever wants to look. */
  preview(): { readonly state: AllocationState; readonly plan: AllocationPlan } {
    const state = this.#snapshot();
    return { state, plan: allocate(state, this.#memory) };
  }

  #plan(): ReconcileResult {
    if (this.objects.unsynced.length > 0) return {};
    const { clock, metrics } = this.#setup;
    const startedAt = clock.monotonic();
    const { state, plan } = this.preview();
    const tookMs = clock.monotonic() - startedAt;
    this.#last = { number: (this.#last?.number ?? 0) + 1, at: state.now, tookMs };
    this.#isAnyoneWaiting = plan.undone.some(isWaiting);
    metrics.notePlan(plan, state.pools);
    if (this.isWriting) {
      this.#carrier.carry(plan, state.pools);
      this.#sources.follow(plan, state, (key) => this.#carrier.pending.has(key));
    }
    return { wakeAt: this.#wakeTime(plan) };
  }

  #snapshot(): AllocationState {
    const { clock, settings, installNamespace } = this.#setup;
    return this.#snapshots.take({
      objects: this.objects,
      pending: this.#carrier.pending,
      subnets: installNamespace === '' ? undefined : this.#sightings.subnets,
      lostHolders: this.#sightings.lostHolders,
      conflicts: this.#sightings.conflicts,
      ...this.#sources.findings,
      policyRewrites: this.#rewrites.known(),
      settings,
      installNamespace,
      now: clock.now(),
    });
  }

  #wakeTime({ wakeAt = Infinity }: AllocationPlan): number {
    const { clock } = this.#setup;
    const byWall = Math.min(wakeAt - clock.now(), wakeAt === Infinity ? Infinity : longestSleepMs);
    const byCarrier = this.#isWriting ? this.#carrier.nextTryAt() : Infinity;
    return Math.min(clock.monotonic() + byWall, byCarrier, this.#rewrites.nextChangeAt());
  }

  #lookSoon(): void {
    if (this.#isLookPlanned) return;
    this.#isLookPlanned = true;
    this.#setup.clock.after(lookEveryMs, () => this.reconciler.wake('nodes'));
  }

  #look(): ReconcileResult {
    this.#isLookPlanned = false;
    const { clock } = this.#setup;
    const members = [...this.objects.leases.values()].flatMap(({ member }) => member ?? []);
    // Without an election nothing is heard while the last node is silent, though we see well.
    const silentMs = this.leadership.isElected ? this.objects.leasesSilentMs : 0;
    const look = this.#sightings.look(members, clock.monotonic() - silentMs);
    if (look.hasChanged) this.reconciler.wake('plan');
    return { wakeAt: look.wakeAt };
  }
}

/** Something is to happen once what was decided is written. */
function isWaiting({ kind: decided, waitsFor }: ServiceDecision): boolean {
  if (decided === 'pending') return waitsFor.length > 0;
  return waitsFor.some(({ kind }) => kind === 'source' || kind === 'return');
}

function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
