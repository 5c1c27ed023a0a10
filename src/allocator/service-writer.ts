/**
 * Carries decisions about Services out, many at a time. Each write is bound to the version that the plan saw: if the
 * Service has changed since, nothing is written, and the next plan decides anew. While a write is on its way its
 * addresses are taken; one whose end is not known is asked about before anything else happens to them.
 */

import type { ServiceDecision } from '../decide/allocation/allocation-plan.ts';
import { ApiError, isAmbiguous, isConflict, isNotFound } from '../kube/api-error.ts';
import type { Cluster } from '../kube/cluster.ts';
import { type MergePatch, mergePatch } from '../kube/patch.ts';
import { keyOf, refOf } from '../kube/resource.ts';
import { services } from '../kube/resources.ts';
import { Slots } from '../kube/slots.ts';
import type { Store } from '../kube/store.ts';
import type { KubeObject } from '../model/kube-object.ts';
import { type Clock, sleep } from '../runtime/clock.ts';
import { isCarriedOut } from './is-carried-out.ts';
import { WritePace } from './write-pace.ts';

export interface ServiceWrite {
  readonly key: string;
  /** The Service as the plan saw it. */
  readonly object: KubeObject;
  readonly part: 'status' | 'spec';
  /** With the version or the uid for which alone it holds. */
  readonly body: MergePatch;
  readonly decision: ServiceDecision;
  /** Epoch ms. */
  readonly plannedAt: number;
}

export interface ServiceWriterOptions {
  readonly cluster: Cluster;
  readonly store: Pick<Store, 'get' | 'put'>;
  readonly clock: Clock;
  /** 0 ≤ x < 1. */
  readonly random: () => number;
  /**
   * For how long this allocator leads at least, by the clock: a process that was paused may find that it no longer leads
   * before anybody could tell it. What was sent is given up when that time is over.
   */
  readonly writesForMs: () => number;
  readonly mostAtOnce?: number;
  /** `isAsWanted`: the Service is now what the write was to make of it, and no admission hook had other ideas. */
  readonly onWritten: (write: ServiceWrite, isAsWanted: boolean) => void;
  /** The server would not have it; it is tried again after a while, or when the Service changes. */
  readonly onRefused: (write: ServiceWrite, error: unknown) => void;
  /** A write is over without having come through: the next plan decides about its Service anew. */
  readonly onGivenUp: () => void;
}

export const fieldManager = 'purelb-allocator';
const longestCallMs = 5_000;
/** Until the leadership is either renewed or over. */
const retryMs = 100;

type Attempt = 'over' | { readonly waitMs: number; readonly isUnclear: boolean };

export class ServiceWriter {
  readonly #options: ServiceWriterOptions;
  readonly #pace: WritePace;
  readonly #slots: Slots;
  readonly #pending = new Map<string, ServiceWrite>();
  #leadership: AbortSignal | undefined;
  #isPutting = false;
  /** Outlives the leadership by a little, so that what was sent is answered. */
  #calls = new AbortController();
  #whenIdle = () => {};

  constructor(options: ServiceWriterOptions) {
    this.#options = options;
    this.#pace = new WritePace(options.clock, options.random);
    this.#slots = new Slots(options.mostAtOnce ?? 32);
  }

  /** Writes that are on their way, by the Service's key. */
  get pending(): ReadonlyMap<string, ServiceWrite> {
    return this.#pending;
  }

  /** The store is just being told of a write of ours: no news to whoever planned it. */
  get isPutting(): boolean {
    return this.#isPutting;
  }

  /** Monotonic time of the next try of a write that was refused. */
  nextTryAt(): number {
    return this.#pace.nextTryAt();
  }

  forget(key: string): void {
    this.#pace.forget(key);
  }

  begin(leadership: AbortSignal): void {
    this.#leadership = leadership;
    this.#calls = new AbortController();
    this.#pace.clear();
  }

  /** Awaits the answers to what was sent, for at most so long; sends nothing more. */
  async end(graceMs: number): Promise<void> {
    const calls = this.#calls;
    if (graceMs <= 0) calls.abort();
    if (this.#pending.size > 0) {
      const cancel = this.#options.clock.after(graceMs, () => calls.abort());
      await new Promise<void>((resolve) => {
        this.#whenIdle = resolve;
      });
      cancel();
    }
    this.#whenIdle = () => {};
    this.#leadership = undefined;
  }

  /** Not of a Service that has a write on its way, or has to wait after one that was refused. */
  accepts({ metadata }: KubeObject): boolean {
    const key = keyOf(metadata);
    return !this.#pending.has(key) && this.#pace.mayTry(key, metadata.resourceVersion ?? '');
  }

  /** Does nothing with what it does not accept, nor without leadership. */
  submit(write: ServiceWrite): void {
    if (this.#leadership?.aborted !== false || !this.accepts(write.object)) return;
    this.#pending.set(write.key, write);
    void this.#carryOut(write, this.#leadership);
  }

  async #carryOut(write: ServiceWrite, leadership: AbortSignal): Promise<void> {
    try {
      let attempt: Attempt = { waitMs: this.#pace.pauseMs, isUnclear: false };
      while (attempt !== 'over') {
        const { waitMs, isUnclear }: Exclude<Attempt, 'over'> = attempt;
        if (waitMs > 0) await sleep(this.#options.clock, waitMs, leadership);
        await this.#slots.take(leadership);
        attempt = await this.#attempt(write, isUnclear).finally(() => this.#slots.release());
      }
    } catch (error) {
      if (!leadership.aborted) this.#options.onRefused(write, error);
    } finally {
      this.#settle(write);
    }
  }

  #settle(write: ServiceWrite): void {
    if (this.#pending.get(write.key) === write) {
      this.#pending.delete(write.key);
      this.#options.onGivenUp();
    }
    if (this.#pending.size === 0) this.#whenIdle();
  }

  async #attempt(write: ServiceWrite, isUnclear: boolean): Promise<Attempt> {
    const { pauseMs } = this.#pace;
    if (pauseMs > 0) return { waitMs: pauseMs, isUnclear };
    if (this.#options.writesForMs() <= 0) return { waitMs: retryMs, isUnclear };
    try {
      if (isUnclear && (await this.#isOver(write))) return 'over';
      if (!this.#isCurrent(write)) return 'over';
      this.#finish(write, await this.#send(write));
      return 'over';
    } catch (error) {
      return this.#explain(write, error, isUnclear);
    }
  }

  #send({ object, part, body }: ServiceWrite): Promise<KubeObject> {
    const patch = mergePatch(body);
    const withinMs = Math.min(longestCallMs, this.#options.writesForMs());
    const options = { signal: this.#calls.signal, withinMs, isGivenUp: true, fieldManager };
    return this.#options.cluster.patch(services, refOf(object), patch, {
      ...options,
      ...(part === 'status' ? { subresource: 'status' } : {}),
    });
  }

  #finish(write: ServiceWrite, answer: KubeObject): void {
    this.#pace.noteSuccess(write.key);
    this.#pending.delete(write.key);
    this.#isPutting = true;
    try {
      this.#options.store.put(answer);
    } finally {
      this.#isPutting = false;
    }
    this.#options.onWritten(write, isCarriedOut(answer, write));
  }

  /** Spares a call that could only end in a conflict. */
  #isCurrent({ key, object }: ServiceWrite): boolean {
    const known = this.#options.store.get(key)?.metadata;
    return known?.resourceVersion === object.metadata.resourceVersion;
  }

  /**
   * After an attempt of which no good end is known. While the Service is unchanged that attempt may still come
   * through, so the same is sent again: of two writes bound to one version only one can succeed.
   */
  async #isOver(write: ServiceWrite): Promise<boolean> {
    const { cluster, store } = this.#options;
    try {
      const options = { signal: this.#calls.signal, withinMs: longestCallMs };
      const found = await cluster.get(services, refOf(write.object), options);
      if (found.metadata.resourceVersion === write.object.metadata.resourceVersion) return false;
      if (isCarriedOut(found, write)) this.#finish(write, found);
      else store.put(found);
      return true;
    } catch (error) {
      if (isNotFound(error)) return true;
      throw error;
    }
  }

  #explain(write: ServiceWrite, error: unknown, isUnclear: boolean): Attempt {
    const version = write.object.metadata.resourceVersion ?? '';
    if (this.#calls.signal.aborted || !(error instanceof ApiError)) throw error;
    if (isToBeSeen(write, error)) {
      return { waitMs: this.#pace.setBack(write.key, version), isUnclear: true };
    }
    if (error.code === 'unreachable' || error.status === 429 || error.status === 503) {
      this.#pace.pauseAll(error.retryAfterMs);
      return { waitMs: this.#pace.pauseMs, isUnclear };
    }
    // The earlier attempt has come through after all, or somebody else was faster: look which.
    if (isUnclear && isConflict(error)) return { waitMs: 0, isUnclear };
    this.#setBack(write.key, version);
    if (!isConflict(error) && !isNotFound(error)) this.#options.onRefused(write, error);
    return 'over';
  }

  #setBack(key: string, version: string): void {
    this.#pace.setBack(key, version);
    // What is gone is never told of again: nobody would forget it.
    if (this.#options.store.get(key) === undefined) this.#pace.forget(key);
  }
}

/** Whether it must be known how the attempt ended: a late rewrite does no harm, and the address does not wait for it. */
function isToBeSeen({ part }: ServiceWrite, error: ApiError): boolean {
  return part === 'status' && isAmbiguous(error);
}
