/** Carries plans out while it leads, and tells about what was written: log, Events, counters. */

import type { AcceptedPools } from '../decide/allocation/accept-pools.ts';
import type { AllocationPlan, ServiceDecision } from '../decide/allocation/allocation-plan.ts';
import { isConflict } from '../kube/api-error.ts';
import type { Cluster } from '../kube/cluster.ts';
import type { EventRecorder } from '../kube/event-recorder.ts';
import { serviceGroups, services } from '../kube/resources.ts';
import type { KubeObject } from '../model/kube-object.ts';
import type { LoadBalancer } from '../model/load-balancer.ts';
import type { Clock } from '../runtime/clock.ts';
import type { Log } from '../runtime/log.ts';
import type { AllocatorMetrics } from './allocator-metrics.ts';
import { describeWrite } from './describe-write.ts';
import { earliest } from './earliest.ts';
import { GroupFinalizers } from './group-finalizers.ts';
import { type GroupStatusWrite, GroupStatusWriter } from './group-status-writer.ts';
import { planWrites } from './plan-writes.ts';
import type { PolicyRewrites } from './policy-rewrites.ts';
import { toEvent } from './report-event.ts';
import { type ServiceWrite, ServiceWriter } from './service-writer.ts';
import type { WatchedObjects } from './watched-objects.ts';

export interface PlanCarrierOptions {
  readonly cluster: Cluster;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Log;
  readonly metrics: AllocatorMetrics;
  readonly events: EventRecorder;
  readonly objects: WatchedObjects;
  readonly rewrites: PolicyRewrites;
  readonly writesForMs: () => number;
  /** Something has come otherwise than planned, or makes room for more. */
  readonly onPlanNeeded: () => void;
  /** The Service is as decided. */
  readonly onWritten: (decision: ServiceDecision) => void;
}

/**
 * So many writes wait or are under way at most: what is left is planned again when half of them are done, rather than
 * kept in memory by the thousand.
 */
const mostPending = 1024;
/** A quarantine that cannot be written must not keep a Service from being deleted for ever. */
const longestHoldMs = 10_000;

export class PlanCarrier {
  readonly #options: PlanCarrierOptions;
  readonly #services: ServiceWriter;
  readonly #groups: GroupStatusWriter;
  readonly finalizers: GroupFinalizers;
  #isMoreToWrite = false;
  /** Since when a write waits for the quarantine, by the Service's key. */
  readonly #heldSince = new Map<string, number>();

  constructor(options: PlanCarrierOptions) {
    const { objects } = options;
    this.#options = options;
    this.#services = new ServiceWriter({
      ...options,
      store: objects.services,
      onWritten: (write, isAsWanted) => {
        if (!isAsWanted || opensMore(write) || this.#isRoomForMore()) options.onPlanNeeded();
        if (write.part === 'spec') return this.#noteRewritten(write, isAsWanted);
        this.#noteWritten(write);
        if (isAsWanted) options.onWritten(write.decision);
      },
      onRefused: (write, error) => this.#noteRefused(write, error),
      onGivenUp: options.onPlanNeeded,
    });
    this.finalizers = new GroupFinalizers({ ...options, groups: objects.groups });
    this.#groups = new GroupStatusWriter({
      ...options,
      store: objects.groups,
      onWritten: (write) => {
        if (this.#heldSince.size > 0) options.onPlanNeeded();
        this.#noteGroup(write);
      },
      onOutdated: options.onPlanNeeded,
      onFailed: (write, error) => {
        options.onPlanNeeded();
        this.#noteFailedGroup(write, error);
      },
    });
  }

  get pending(): ReadonlyMap<string, ServiceWrite> {
    return this.#services.pending;
  }

  /** What the store tells just now is a write of ours: the plan it comes from knew of it. */
  get isOwnNews(): boolean {
    return this.#services.isPutting;
  }

  begin(leadership: AbortSignal): void {
    this.#heldSince.clear();
    this.#services.begin(leadership);
    this.#groups.begin(leadership);
    this.finalizers.begin(leadership);
  }

  async end(graceMs: number): Promise<void> {
    await Promise.all([this.#services.end(graceMs), this.#groups.end(graceMs)]);
  }

  forget(service: string): void {
    this.#services.forget(service);
  }

  /** Monotonic time at which something is to be tried again. */
  nextTryAt(): number {
    const released = earliest(this.#heldSince.values()) + longestHoldMs;
    const writers = [this.#services, this.#groups, this.finalizers];
    return Math.min(...writers.map((writer) => writer.nextTryAt()), released);
  }

  carry(plan: AllocationPlan, pools: AcceptedPools): void {
    const { objects, clock } = this.#options;
    const accepts = (object: KubeObject) => this.#services.accepts(object);
    const most = mostPending - this.pending.size;
    const writes = planWrites({ plan, pools, objects, accepts, most, now: clock.now() });
    this.#isMoreToWrite = writes.isMore;
    this.#groups.want(writes.groups);
    this.finalizers.carry(plan.finalizers);
    const overdue = this.#holdBack(writes.held);
    for (const write of [...writes.services, ...overdue]) this.#services.submit(write);
  }

  #isRoomForMore(): boolean {
    return this.#isMoreToWrite && this.pending.size <= mostPending / 2;
  }

  /** Returns those that have waited long enough. */
  #holdBack(held: readonly ServiceWrite[]): readonly ServiceWrite[] {
    const now = this.#options.clock.monotonic();
    const keys = new Set(held.map(({ key }) => key));
    for (const key of this.#heldSince.keys()) if (!keys.has(key)) this.#heldSince.delete(key);
    return held.filter(({ key }) => {
      const since = this.#heldSince.get(key) ?? now;
      this.#heldSince.set(key, since);
      return now - since >= longestHoldMs;
    });
  }

  #noteWritten(write: ServiceWrite): void {
    const { log, metrics, rewrites } = this.#options;
    const { key, decision } = write;
    rewrites.noteTold(key);
    metrics.count(decision.counts);
    this.#recordEvents(write);
    const line = describeWrite(write);
    if (line !== undefined) log.info(line.message, line.fields);
  }

  /** `isAsWanted`: no admission hook has undone it at once. */
  #noteRewritten(write: ServiceWrite, isAsWanted: boolean): void {
    const { log, rewrites } = this.#options;
    const { key: service, decision } = write;
    if (!isAsWanted) {
      rewrites.noteFailure(service, 'an admission hook undoes it');
      log.warn('Rewrite of externalTrafficPolicy was undone at once', { service });
      return;
    }
    rewrites.noteRewrite(service);
    this.#recordEvents(write);
    log.info('Rewrote externalTrafficPolicy', { service, ips: decision.grant.ingress });
  }

  /** Agents announce what they read before we have our answer: ours happened when it was decided. */
  #recordEvents({ decision, object, plannedAt: at }: ServiceWrite): void {
    const { events } = this.#options;
    for (const event of decision.events) {
      events.record({ ...toEvent(services, object, event), at });
    }
  }

  #noteRefused(write: ServiceWrite, error: unknown): void {
    const { log, metrics, events, rewrites } = this.#options;
    const { key, object } = write;
    metrics.failures.add();
    const why = error instanceof Error ? error.message : String(error);
    if (write.part === 'spec') {
      rewrites.noteFailure(key, why);
      log.warn('externalTrafficPolicy could not be rewritten', { service: key, error });
      return;
    }
    log.error('Service could not be written', { service: key, error });
    const message = `Failed to write the addresses of "${key}": ${why}`;
    events.record(toEvent(services, object, { reason: 'AllocationFailed', message }));
  }

  /** A source does not take back what a Service had from it. */
  noteReturnFailed(service: LoadBalancer, why: string, isGivenUp: boolean): void {
    const { log, events, objects } = this.#options;
    const { key } = service;
    log.warn('Addresses could not be returned', { service: key, message: why, isGivenUp });
    const object = objects.services.get(key);
    if (object === undefined) return;
    const how = isGivenUp ? 'they are looked for later' : 'the Service stays until it can be done';
    const message = `Failed to return the addresses of "${key}": its source ${why}; ${how}`;
    events.record(toEvent(services, object, { reason: 'ReleaseFailed', message }));
  }

  #noteGroup({ key: group, object, events }: GroupStatusWrite): void {
    const { log, metrics, events: recorder } = this.#options;
    metrics.countStatusWrite();
    for (const event of events) {
      recorder.record(toEvent(serviceGroups, object, event));
      log.info('Judged ServiceGroup', { group, event: event.reason, message: event.message });
    }
  }

  #noteFailedGroup({ key: group }: GroupStatusWrite, error: unknown): void {
    const { log, metrics } = this.#options;
    metrics.countStatusWrite(error);
    if (isConflict(error)) return;
    log.warn('Status of ServiceGroup could not be written', { group, error });
  }
}

/**
 * An address has become free, or a second write is due, or (with a policy, whose write is not bound to a version)
 * the answer may show what others did as well: only another plan makes use of that.
 */
function opensMore({ decision: { kind, givesUp, policy } }: ServiceWrite): boolean {
  return kind === 'release' || givesUp.length > 0 || policy !== undefined;
}
