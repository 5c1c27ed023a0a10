/** Writes what this node says on objects, behind the data plane: the latest word on each, a few at a time. */

import { ApiError, isConflict, isNotFound } from '../kube/api-error.ts';
import type { Cluster } from '../kube/cluster.ts';
import type { MergePatch, Patch } from '../kube/patch.ts';
import type { Resource } from '../kube/resource.ts';
import { Slots } from '../kube/slots.ts';
import type { KubeObject } from '../model/kube-object.ts';
import type { Clock } from '../runtime/clock.ts';

export interface ObjectPatch {
  readonly namespace: string;
  readonly name: string;
  readonly body: MergePatch;
  /** The resourceVersion of the object that it was planned from, where that is known. */
  readonly basedOn?: string | undefined;
}

export interface SlotWriterSetup {
  readonly cluster: Cluster;
  readonly resource: Resource;
  readonly patchOf: (body: MergePatch) => Patch;
  readonly clock: Clock;
  /** Visible to the next plan at once. */
  readonly onWritten: (answer: KubeObject) => void;
  /** It did not work, so many times in a row; the next plan says what is still to be written. */
  readonly onFailed: (patch: ObjectPatch, error: unknown, failures: number) => void;
  readonly onRetry: () => void;
}

const mostAtOnce = 8;
const withinMs = 5_000;
const firstPauseMs = 200;
const longestPauseMs = 10_000;

export class SlotWriter {
  readonly #setup: SlotWriterSetup;
  readonly #slots = new Slots(mostAtOnce);
  readonly #stopping = new AbortController();
  /** On their way or waiting for their turn, by Service: what was sent last. */
  readonly #sending = new Map<string, string>();
  /** By object, the version that a write of ours has replaced: a plan made from it does not know of that write. */
  readonly #replaced = new Map<string, string>();
  /** The latest word on each Service. */
  #wanted = new Map<string, ObjectPatch>();
  /** In a row. */
  #failures = 0;
  #pausedUntil = -Infinity;
  #whenIdle = () => {};

  constructor(setup: SlotWriterSetup) {
    this.#setup = setup;
  }

  get pending(): number {
    return this.#sending.size;
  }

  /** Everything that is to be written now; what is not in it any more is not. */
  submit(patches: readonly ObjectPatch[]): void {
    this.#wanted = new Map(patches.map((patch) => [keyOf(patch), patch]));
    for (const key of this.#replaced.keys()) if (!this.#wanted.has(key)) this.#replaced.delete(key);
    this.#sendDue(this.#wanted.keys());
  }

  /** The same for some objects, by `namespace/name`: what is to be written on others stays as it is. */
  submitSome(keys: ReadonlySet<string>, patches: readonly ObjectPatch[]): void {
    for (const key of keys) this.#wanted.delete(key);
    for (const patch of patches) this.#wanted.set(keyOf(patch), patch);
    for (const key of keys) if (!this.#wanted.has(key)) this.#replaced.delete(key);
    this.#sendDue(patches.map(keyOf));
  }

  #sendDue(keys: Iterable<string>): void {
    if (this.#stopping.signal.aborted || this.#isPaused()) return;
    for (const key of keys) {
      const patch = this.#wanted.get(key);
      if (patch === undefined || this.#sending.has(key) || this.#isOutdated(key, patch)) continue;
      void this.#send(key);
    }
  }

  /** Awaits the answers to what was sent, for at most so long. */
  async stop(graceMs: number): Promise<void> {
    this.#wanted = new Map();
    if (this.#sending.size > 0) {
      const cancel = this.#setup.clock.after(graceMs, () => this.#stopping.abort());
      await new Promise<void>((resolve) => {
        this.#whenIdle = resolve;
      });
      cancel();
    }
    this.#stopping.abort();
  }

  async #send(key: string): Promise<void> {
    this.#sending.set(key, '');
    try {
      await this.#slots.take(this.#stopping.signal);
      await this.#sendWanted(key).finally(() => this.#slots.release());
    } catch {
      // It stops.
    }
    const sent = this.#sending.get(key);
    this.#sending.delete(key);
    const wanted = this.#wanted.get(key);
    const isNews =
      wanted !== undefined && !this.#isOutdated(key, wanted) && JSON.stringify(wanted) !== sent;
    if (isNews && !this.#stopping.signal.aborted && !this.#isPaused()) void this.#send(key);
    else if (this.#sending.size === 0) this.#whenIdle();
  }

  /** By now there may be another word, or none; and after a failure others are not tried to find the same. */
  async #sendWanted(key: string): Promise<void> {
    const patch = this.#wanted.get(key);
    if (patch === undefined || this.#isPaused() || this.#isOutdated(key, patch)) return;
    this.#sending.set(key, JSON.stringify(patch));
    try {
      await this.#attempt(patch);
    } catch (error) {
      this.#noteFailure(patch, error);
    }
  }

  /** The watch shows what was written, and the plan after that says whether anything is left to write. */
  #isOutdated(key: string, { basedOn }: ObjectPatch): boolean {
    return basedOn !== undefined && this.#replaced.get(key) === basedOn;
  }

  #isPaused(): boolean {
    return this.#setup.clock.monotonic() < this.#pausedUntil;
  }

  /** By way of the status: that takes no right to change what an object is. */
  async #attempt(patch: ObjectPatch): Promise<void> {
    const { namespace, name, body, basedOn } = patch;
    const { cluster, resource, patchOf, onWritten } = this.#setup;
    const options = {
      subresource: 'status',
      fieldManager: 'purelb-agent',
      signal: this.#stopping.signal,
      withinMs,
    } as const;
    const answer = await cluster.patch(resource, { namespace, name }, patchOf(body), options);
    this.#failures = 0;
    const isChanged = answer.metadata.resourceVersion !== basedOn;
    if (basedOn !== undefined && isChanged) this.#replaced.set(keyOf(patch), basedOn);
    onWritten(answer);
  }

  /** A Service that was changed or is gone meanwhile: the watch tells, and another plan is made. */
  #noteFailure(patch: ObjectPatch, error: unknown): void {
    const { clock, onFailed, onRetry } = this.#setup;
    if (this.#stopping.signal.aborted || isNotFound(error)) return;
    if (isConflict(error)) {
      clock.after(firstPauseMs, onRetry);
      return;
    }
    // Of those that were on their way together, one stands for all.
    if (this.#isPaused()) return;
    this.#failures += 1;
    onFailed(patch, error, this.#failures);
    const pauseMs = Math.min(firstPauseMs * 2 ** this.#failures, longestPauseMs);
    const hintMs = error instanceof ApiError ? (error.retryAfterMs ?? 0) : 0;
    const waitMs = Math.max(pauseMs, hintMs);
    this.#pausedUntil = clock.monotonic() + waitMs;
    clock.after(waitMs, onRetry);
  }
}

function keyOf({ namespace, name }: ObjectPatch): string {
  return `${namespace}/${name}`;
}
