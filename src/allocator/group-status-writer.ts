/**
 * Writes the status of ServiceGroups. Counts change with every allocation, so changes are gathered for a moment, and a
 * group is written once a second at most; a new entry in quarantine does not wait, because Services wait for it.
 */

import type { PlannedEvent } from '../decide/allocation/allocation-plan.ts';
import type { GroupStatusBody } from '../decide/allocation/plan-group-status.ts';
import { isNotFound } from '../kube/api-error.ts';
import type { Cluster } from '../kube/cluster.ts';
import { applyPatch } from '../kube/patch.ts';
import { refOf } from '../kube/resource.ts';
import { serviceGroups } from '../kube/resources.ts';
import type { Store } from '../kube/store.ts';
import type { KubeObject } from '../model/kube-object.ts';
import type { Cancel, Clock } from '../runtime/clock.ts';
import { fieldManager } from './service-writer.ts';
import { WritePace } from './write-pace.ts';

export interface GroupStatusWrite {
  readonly key: string;
  /** The group as the plan saw it. */
  readonly object: KubeObject;
  /** For server-side apply, without the version. */
  readonly body: GroupStatusBody;
  readonly events: readonly PlannedEvent[];
  readonly isUrgent: boolean;
}

export interface GroupStatusWriterOptions {
  readonly cluster: Cluster;
  readonly store: Pick<Store, 'put'>;
  readonly clock: Clock;
  readonly random: () => number;
  /** For how long this allocator leads at least, by the clock: see ServiceWriter. */
  readonly writesForMs: () => number;
  readonly gatherMs?: number;
  readonly onWritten: (write: GroupStatusWrite) => void;
  /** More was wanted for the group while it was written: only a plan that knows what is written now can say it. */
  readonly onOutdated: () => void;
  readonly onFailed: (write: GroupStatusWrite, error: unknown) => void;
}

const longestCallMs = 5_000;
/** From one write of a group to the next that nobody waits for. */
const everyMs = 1_000;

export class GroupStatusWriter {
  readonly #options: GroupStatusWriterOptions;
  readonly #pace: WritePace;
  /** What the last plan wants to be written. */
  #wanted = new Map<string, GroupStatusWrite>();
  readonly #underWay = new Map<string, Promise<void>>();
  #leadership: AbortSignal | undefined;
  #calls = new AbortController();
  /** When each group was last written, if that was a moment ago. */
  readonly #sentAt = new Map<string, number>();
  #timer: { readonly at: number; readonly cancel: Cancel } | undefined;

  constructor(options: GroupStatusWriterOptions) {
    this.#options = options;
    this.#pace = new WritePace(options.clock, options.random);
  }

  begin(leadership: AbortSignal): void {
    this.#leadership = leadership;
    this.#calls = new AbortController();
    this.#pace.clear();
    this.#sentAt.clear();
  }

  /** Awaits the answers to what was sent, for at most so long; sends nothing more. */
  async end(graceMs: number): Promise<void> {
    this.#stopTimer();
    this.#wanted.clear();
    const calls = this.#calls;
    const cancel = this.#options.clock.after(graceMs, () => calls.abort());
    await Promise.all(this.#underWay.values());
    cancel();
    this.#leadership = undefined;
  }

  nextTryAt(): number {
    return this.#pace.nextTryAt();
  }

  /** All that the last plan wants; what an earlier one wanted counts no more. */
  want(writes: readonly GroupStatusWrite[]): void {
    if (this.#leadership?.aborted !== false) return;
    this.#wanted = new Map(writes.map((write) => [write.key, write]));
    if (this.#wanted.size === 0) return;
    if (writes.some(({ isUrgent }) => isUrgent)) this.#flush();
    else this.#flushSoon();
  }

  #flushSoon(): void {
    const { clock, gatherMs = 250 } = this.#options;
    this.#flushAt(clock.monotonic() + gatherMs);
  }

  #flushAt(at: number): void {
    if (this.#timer !== undefined && this.#timer.at <= at) return;
    this.#stopTimer();
    const { clock } = this.#options;
    this.#timer = { at, cancel: clock.after(at - clock.monotonic(), () => this.#flush()) };
  }

  #stopTimer(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  #flush(): void {
    this.#stopTimer();
    if (this.#leadership?.aborted !== false) return;
    if (this.#options.writesForMs() <= 0) {
      // Until the leadership is either renewed or over.
      this.#flushSoon();
      return;
    }
    this.#forgetOld();
    this.#sendDue();
  }

  #sendDue(): void {
    for (const [key, write] of this.#wanted) {
      const version = write.object.metadata.resourceVersion ?? '';
      if (this.#underWay.has(key) || !this.#pace.mayTry(key, version)) continue;
      const sentAt = this.#sentAt.get(key);
      if (sentAt !== undefined && !write.isUrgent) this.#flushAt(sentAt + everyMs);
      else this.#submit(write);
    }
  }

  #submit(write: GroupStatusWrite): void {
    this.#wanted.delete(write.key);
    this.#sentAt.set(write.key, this.#options.clock.monotonic());
    this.#underWay.set(write.key, this.#write(write));
  }

  #forgetOld(): void {
    const now = this.#options.clock.monotonic();
    for (const [key, at] of this.#sentAt) if (at + everyMs <= now) this.#sentAt.delete(key);
  }

  async #write(write: GroupStatusWrite): Promise<void> {
    const { key, object } = write;
    try {
      this.#options.store.put(await this.#send(write));
      this.#pace.noteSuccess(key);
      this.#options.onWritten(write);
      if (this.#dropOutdated(write)) this.#options.onOutdated();
    } catch (error) {
      this.#pace.setBack(key, object.metadata.resourceVersion ?? '');
      // A group that was deleted meanwhile needs no status.
      const isMoot = this.#calls.signal.aborted || isNotFound(error);
      if (!isMoot) this.#options.onFailed(write, error);
    } finally {
      this.#underWay.delete(key);
      // What was wanted meanwhile waits no longer than usual.
      if (this.#wanted.size > 0) this.#flushSoon();
    }
  }

  /** It would be refused, because it is bound to the version before. */
  #dropOutdated({ key, object }: GroupStatusWrite): boolean {
    const { resourceVersion } = object.metadata;
    if (this.#wanted.get(key)?.object.metadata.resourceVersion !== resourceVersion) return false;
    return this.#wanted.delete(key);
  }

  /** Bound to the version that the plan saw: whoever was paused must not write over its successor's quarantine. */
  #send({ object, body }: GroupStatusWrite): Promise<KubeObject> {
    const { resourceVersion } = object.metadata;
    const bound = { ...body, metadata: { ...body.metadata, resourceVersion } };
    const patch = applyPatch(bound, { isForced: true });
    const withinMs = Math.min(longestCallMs, this.#options.writesForMs());
    const options = { signal: this.#calls.signal, withinMs, isGivenUp: true, fieldManager };
    const { cluster } = this.#options;
    return cluster.patch(serviceGroups, refOf(object), patch, {
      ...options,
      subresource: 'status',
    });
  }
}
