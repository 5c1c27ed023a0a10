/**
 * Writes the finalizer `purelb.io/release-records` of ServiceGroups. It is there before the first record of a group is
 * made, so that a group whose source has records cannot vanish while nobody looks. Each write holds only for the version
 * of the group that was seen: finalizers of others are neither removed nor restored.
 */

import type { PlannedEvent } from '../decide/allocation/allocation-plan.ts';
import type { FinalizerPlan } from '../decide/allocation/plan-finalizers.ts';
import { failure, type SourceFailure } from '../ipam/address-source.ts';
import { isConflict, isForbidden, isNotFound } from '../kube/api-error.ts';
import type { Cluster } from '../kube/cluster.ts';
import type { EventRecorder } from '../kube/event-recorder.ts';
import { addFinalizer, removeFinalizer } from '../kube/finalizer.ts';
import { type MergePatch, mergePatch } from '../kube/patch.ts';
import { refOf } from '../kube/resource.ts';
import { serviceGroups } from '../kube/resources.ts';
import type { Store } from '../kube/store.ts';
import { keyOf } from '../model/identity.ts';
import type { KubeObject } from '../model/kube-object.ts';
import type { Pool } from '../model/pool.ts';
import { recordsFinalizer } from '../model/well-known-names.ts';
import { type Clock, sleep } from '../runtime/clock.ts';
import type { Log } from '../runtime/log.ts';
import { toEvent } from './report-event.ts';
import { fieldManager } from './service-writer.ts';
import type { SourceProtection } from './source-desk.ts';
import { WritePace } from './write-pace.ts';

export interface GroupFinalizersOptions {
  readonly cluster: Cluster;
  readonly groups: Pick<Store<KubeObject>, 'get' | 'put'>;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Log;
  readonly events: EventRecorder;
  /** For how long this allocator leads at least, by the clock: see ServiceWriter. */
  readonly writesForMs: () => number;
  readonly onPlanNeeded: () => void;
}

const longestCallMs = 5_000;
/** After a conflict the watch shows the newer version within this time. */
const retryMs = 200;
const mostTries = 10;
/** A role that lacks the permission is changed by people. */
const forbiddenMs = 60_000;

type Protection = SourceFailure | undefined;

export class GroupFinalizers implements SourceProtection {
  readonly #options: GroupFinalizersOptions;
  readonly #pace: WritePace;
  /** By the group's key. */
  readonly #underWay = new Map<string, Promise<Protection>>();
  /** Until when the API server is not asked again (monotonic). */
  readonly #forbidden = new Map<string, number>();
  #leadership = AbortSignal.abort();

  constructor(options: GroupFinalizersOptions) {
    this.#options = options;
    this.#pace = new WritePace(options.clock, options.random);
  }

  begin(leadership: AbortSignal): void {
    this.#leadership = leadership;
    this.#pace.clear();
    this.#forbidden.clear();
  }

  /** Monotonic time at which something is to be tried again. */
  nextTryAt(): number {
    return this.#pace.nextTryAt();
  }

  readonly isProtected = ({ identity }: Pool): boolean =>
    this.#options.groups.get(keyOf(identity))?.metadata.finalizers?.includes(recordsFinalizer) ===
    true;

  readonly warningsOf = ({ identity }: Pool): readonly string[] =>
    this.#forbidden.has(keyOf(identity)) ? [unprotected] : [];

  readonly protect = async (pool: Pool): Promise<Protection> => {
    if (this.isProtected(pool)) return undefined;
    const key = keyOf(pool.identity);
    return this.#once(key, () => this.#add(key, pool.identity.uid));
  };

  carry(plans: ReadonlyMap<string, FinalizerPlan>): void {
    for (const [key, plan] of plans) {
      const object = this.#options.groups.get(key);
      if (object === undefined || plan.kind === 'wait' || this.#underWay.has(key)) continue;
      const { uid = '', resourceVersion = '' } = object.metadata;
      if (!this.#pace.mayTry(key, resourceVersion)) continue;
      const isAddition = plan.kind === 'add';
      void this.#once(key, () =>
        isAddition ? this.#add(key, uid) : this.#remove(key, object, plan.events),
      );
    }
  }

  /** Those that want something of one group at the same time get the same answer. */
  #once(key: string, write: () => Promise<Protection>): Promise<Protection> {
    const running = this.#underWay.get(key);
    if (running !== undefined) return running;
    const started = write().finally(() => this.#underWay.delete(key));
    this.#underWay.set(key, started);
    return started;
  }

  async #add(key: string, uid: string): Promise<Protection> {
    const { clock } = this.#options;
    if (clock.monotonic() < (this.#forbidden.get(key) ?? -Infinity)) return undefined;
    for (let tries = 1; tries <= mostTries; tries += 1) {
      const outcome = await this.#tryToAdd(key, uid);
      if (outcome !== 'conflict') return outcome;
      await sleep(clock, retryMs, this.#leadership).catch(() => {});
      if (this.#leadership.aborted) break;
    }
    return notAsked;
  }

  async #tryToAdd(key: string, uid: string): Promise<Protection | 'conflict'> {
    const { groups, log } = this.#options;
    const object = groups.get(key);
    if (object?.metadata.uid !== uid || object.metadata.deletionTimestamp !== undefined) {
      return notAsked;
    }
    const patch = addFinalizer(object, recordsFinalizer);
    if (patch === undefined) return undefined;
    try {
      groups.put(await this.#send(object, patch));
    } catch (error) {
      return isConflict(error) ? 'conflict' : this.#noteFailedAddition(key, object, error);
    }
    this.#forbidden.delete(key);
    this.#pace.noteSuccess(key);
    log.info('ServiceGroup is kept until its records are returned', { group: key });
    return undefined;
  }

  /** Addresses matter more than records that may be left behind: without the permission Services are served anyway. */
  #noteFailedAddition(key: string, { metadata }: KubeObject, error: unknown): Protection {
    const { clock, log } = this.#options;
    if (this.#leadership.aborted || isNotFound(error)) return notAsked;
    log.warn('Finalizer of ServiceGroup could not be written', { group: key, error });
    this.#pace.setBack(key, metadata.resourceVersion ?? '');
    if (!isForbidden(error)) return notAsked;
    this.#forbidden.set(key, clock.monotonic() + forbiddenMs);
    return undefined;
  }

  async #remove(
    key: string,
    object: KubeObject,
    events: readonly PlannedEvent[],
  ): Promise<Protection> {
    const { groups, log, events: recorder, onPlanNeeded } = this.#options;
    const patch = removeFinalizer(object, recordsFinalizer);
    if (patch === undefined) return undefined;
    try {
      const written = await this.#send(object, patch);
      // What is being deleted is gone with its last finalizer: the watch says when.
      if (object.metadata.deletionTimestamp === undefined) groups.put(written);
      this.#pace.noteSuccess(key);
      log.info('ServiceGroup is no longer kept for its records', { group: key });
      for (const event of events) recorder.record(toEvent(serviceGroups, object, event));
    } catch (error) {
      this.#pace.setBack(key, object.metadata.resourceVersion ?? '');
      const isMoot = this.#leadership.aborted || isNotFound(error) || isConflict(error);
      if (!isMoot)
        log.warn('Finalizer of ServiceGroup could not be removed', { group: key, error });
    }
    onPlanNeeded();
    return undefined;
  }

  #send(object: KubeObject, patch: MergePatch): Promise<KubeObject> {
    const { cluster, writesForMs } = this.#options;
    const withinMs = Math.min(longestCallMs, writesForMs());
    const options = { signal: this.#leadership, withinMs, isGivenUp: true, fieldManager };
    return cluster.patch(serviceGroups, refOf(object), mergePatch(patch), options);
  }
}

const notAsked = failure(
  'unavailable',
  `is not asked: the finalizer ${recordsFinalizer} of the ServiceGroup could not be set`,
);

const unprotected = `the allocator may not set the finalizer ${recordsFinalizer}: apply deploy/rbac and deploy/policies; until then records stay behind if the group is deleted while no allocator runs`;
