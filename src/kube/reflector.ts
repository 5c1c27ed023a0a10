import type { KubeObject } from '../model/kube-object.ts';
import { type Clock, sleep } from '../runtime/clock.ts';
import { ApiError, isGone } from './api-error.ts';
import { Bell } from './bell.ts';
import type { Cluster, Selection } from './cluster.ts';
import { ReflectorIntake } from './reflector-intake.ts';
import type { Observe } from './reflector-observation.ts';
import { type NextPass, type PassEnd, ReflectorPace } from './reflector-pace.ts';
import { RequestScope } from './request-scope.ts';
import type { Resource } from './resource.ts';
import { isNewer } from './resource-version.ts';
import type { Store } from './store.ts';
import { TransportError } from './transport.ts';
import type { WatchEvent } from './watch-event.ts';

export interface ReflectorOptions<T extends KubeObject> {
  readonly cluster: Cluster;
  readonly resource: Resource;
  readonly store: Store<T>;
  readonly clock: Clock;
  /** 0 ≤ x < 1. */
  readonly random: () => number;
  readonly selection?: Selection;
  readonly pageSize?: number;
  readonly observe?: Observe;
}

/** The server sends a bookmark about once a minute (measured), so this much silence means a dead connection. */
const silenceMs = 150_000;
const shortestWatchSeconds = 300;
/** How much longer than it was told to the server may keep a watch open. */
const graceMs = 30_000;
/** A state that comes as a stream must be complete by then; else the next try reads pages. */
const streamWithinMs = 60_000;
const defaultPageSize = 100;

/** Not a fault: the watch has lasted as long as it should. */
const watchIsOver = new Error('the watch has lasted long enough');

/** The server is behind what it told before: it was restored from a backup. */
class OtherHistoryError extends Error {
  override readonly name = 'OtherHistoryError';
}

/** A whole state that comes in as a stream, until its end is marked. */
interface Stream<T extends KubeObject> {
  readonly intake: ReflectorIntake<T>;
  readonly startedAt: number;
}

/**
 * Keeps a store equal to what the API server holds, whatever happens to server, connection and watch. The first
 * state comes as a stream of events where the server can do that, else by pages; after that the watch goes on from
 * the last version for as long as the server still knows it.
 */
export class Reflector<T extends KubeObject = KubeObject> {
  readonly store: Store<T>;
  readonly #options: ReflectorOptions<T>;
  readonly #resource: Resource<T>;
  readonly #observe: Observe;
  readonly #pace: ReflectorPace;
  readonly #bell = new Bell();
  readonly #firstSync = Promise.withResolvers<void>();
  #isRunning = false;
  #isSynced = false;
  #needsSync = true;
  #streaming: 'yes' | 'not-next' | 'never' = 'yes';
  #heardAt: number | undefined;

  constructor(options: ReflectorOptions<T>) {
    this.store = options.store;
    this.#options = options;
    this.#resource = options.resource as Resource<T>;
    this.#observe = options.observe ?? (() => {});
    this.#pace = new ReflectorPace(options.clock, options.random);
  }

  /** The store has held a whole state once; that stays true while the server is away. */
  get isSynced(): boolean {
    return this.#isSynced;
  }

  whenSynced(): Promise<void> {
    return this.#firstSync.promise;
  }

  /** Milliseconds since the server last told anything in good order; undefined before it first did. */
  get silentForMs(): number | undefined {
    return this.#heardAt === undefined ? undefined : this.#now() - this.#heardAt;
  }

  /** The server is in reach again: the present wait, or the next one, is a short one. */
  retrySoon(): void {
    this.#bell.ring();
  }

  /** Until the signal is aborted; throws only if it runs already. Run again, it reads everything anew. */
  async run(signal: AbortSignal): Promise<void> {
    if (this.#isRunning) throw new Error(`${this.#resource.plural} are being watched already`);
    this.#isRunning = true;
    this.#needsSync = true;
    try {
      while (!signal.aborted) await this.#passAndWait(signal);
    } finally {
      this.#isRunning = false;
    }
  }

  async #passAndWait(signal: AbortSignal): Promise<void> {
    const end = await this.#pass(signal);
    if (signal.aborted) return;
    const next = this.#pace.next(end);
    if (next.isResync) this.#needsSync = true;
    this.#observe(end.kind === 'failed' ? { ...end, retryInMs: next.delayMs } : end);
    if (next.delayMs > 0) await this.#wait(next, signal);
  }

  async #wait({ delayMs, isFixed }: NextPass, signal: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    const until = this.#now() + delayMs;
    if (!isFixed) await this.#bell.wait(clock, delayMs, signal);
    const restMs = until - this.#now();
    if (restMs <= 0 || signal.aborted) return;
    // Two watches that break as soon as they are open would otherwise wake each other without a pause.
    const ms = isFixed ? restMs : Math.min(restMs, this.#pace.afterRing());
    await sleep(clock, ms, signal).catch(() => {});
  }

  async #pass(signal: AbortSignal): Promise<PassEnd> {
    const scope = new RequestScope(signal);
    const watch = { openedAt: this.#now(), events: 0 };
    const end = (): PassEnd => {
      return { kind: 'ended', lastedMs: this.#now() - watch.openedAt, events: watch.events };
    };
    try {
      if (this.#needsSync && this.#streaming !== 'yes') await this.#list(scope.signal);
      watch.openedAt = this.#now();
      await this.#watch(scope, watch);
      return end();
    } catch (error) {
      return error === watchIsOver ? end() : this.#endOf(error);
    } finally {
      scope.close();
      // Whatever still comes of this pass is recognised by its signal and dropped.
      scope.abort(watchIsOver);
    }
  }

  #endOf(error: unknown): PassEnd {
    if (isGone(error) || error instanceof OtherHistoryError) return { kind: 'expired' };
    return this.#noteFailedStream(error) ? { kind: 'unsupported' } : { kind: 'failed', error };
  }

  /** If the server forgets the list while we page through it: once more, in one piece. */
  async #list(signal: AbortSignal): Promise<void> {
    try {
      await this.#readPages(signal, this.#options.pageSize ?? defaultPageSize);
    } catch (error) {
      if (!isGone(error)) throw error;
      await this.#readPages(signal, Infinity);
    }
  }

  async #readPages(signal: AbortSignal, pageSize: number): Promise<void> {
    const { cluster, selection } = this.#options;
    const { project } = this.store;
    const stream = this.#beginSync();
    let version = '';
    const options = { ...selection, signal, project, pageSize, isPatient: false };
    for await (const page of cluster.list(this.#resource, options)) {
      signal.throwIfAborted();
      for (const object of page.items) stream.intake.add(object);
      version = page.version;
    }
    this.#finishSync(stream, version, 'list');
  }

  async #watch(scope: RequestScope, watch: { events: number }): Promise<void> {
    const { cluster, clock, random, selection } = this.#options;
    const { project, position } = this.store;
    const { signal } = scope;
    const timeoutSeconds = Math.round(shortestWatchSeconds * (1 + random()));
    const stream = this.#needsSync ? this.#beginSync() : undefined;
    const start =
      stream === undefined ? { version: position ?? '' } : { isWithInitialEvents: true };
    const options = { ...selection, ...start, timeoutSeconds, silenceMs, project, signal };
    const limits = [
      clock.after(timeoutSeconds * 1000 + graceMs, () => scope.abort(watchIsOver)),
      clock.after(streamWithinMs, () => this.#endSlowStream(scope)),
    ];
    try {
      await cluster.watch(this.#resource, options, (events) => {
        signal.throwIfAborted();
        watch.events += events.length;
        this.#receive(events, stream);
      });
      if (this.#needsSync) throw new TransportError('reset', 'the initial state ended early');
    } finally {
      for (const cancel of limits) cancel();
    }
  }

  #receive(events: readonly WatchEvent<T>[], stream: Stream<T> | undefined): void {
    for (const event of events) {
      if (event.type === 'ERROR') throw event.error;
      if (stream !== undefined && this.#needsSync) this.#collect(event, stream);
      else this.#apply(event);
    }
    this.store.settle();
    this.#heardAt = this.#now();
    this.#observe({ kind: 'received', events: events.length });
  }

  /** The initial events are in no order of versions: only their end says how far they go. */
  #collect(event: Exclude<WatchEvent<T>, { type: 'ERROR' }>, stream: Stream<T>): void {
    if (event.type === 'DELETED') stream.intake.drop(event.object);
    else if (event.type !== 'BOOKMARK') stream.intake.add(event.object);
    else if (event.isInitialEnd) this.#finishSync(stream, event.version, 'stream');
  }

  #apply(event: Exclude<WatchEvent<T>, { type: 'ERROR' }>): void {
    const version =
      event.type === 'BOOKMARK' ? event.version : (event.object.metadata.resourceVersion ?? '');
    const { position } = this.store;
    if (position !== undefined && isNewer(position, version)) {
      throw new OtherHistoryError(`version ${version} was told after ${position}`);
    }
    if (event.type === 'BOOKMARK') this.store.tellPosition(event.version);
    else if (event.type === 'DELETED') this.store.tellAbsent(event.object);
    else this.store.tellPresent(event.object);
    this.#pace.progressed();
  }

  #beginSync(): Stream<T> {
    return { intake: new ReflectorIntake(this.store), startedAt: this.#now() };
  }

  #finishSync({ intake, startedAt }: Stream<T>, version: string, by: 'stream' | 'list'): void {
    intake.finish(version);
    this.#needsSync = false;
    this.#isSynced = true;
    this.#heardAt = this.#now();
    if (this.#streaming === 'not-next') this.#streaming = 'yes';
    this.#pace.progressed();
    this.#firstSync.resolve();
    this.#observe({ kind: 'synced', by, objects: intake.size, tookMs: this.#now() - startedAt });
  }

  #endSlowStream(scope: RequestScope): void {
    if (!this.#needsSync) return;
    scope.abort(new TransportError('silence', `no whole state within ${streamWithinMs / 1000} s`));
  }

  /** Chooses how the next whole state is read; true if a stream was refused for good. */
  #noteFailedStream(error: unknown): boolean {
    if (!this.#needsSync || this.#streaming !== 'yes') return false;
    const status = error instanceof ApiError ? (error.status ?? 0) : 0;
    if (cannotStream.includes(status)) this.#streaming = 'never';
    else if (!isPassing(error)) this.#streaming = 'not-next';
    return cannotStream.includes(status);
  }

  #now(): number {
    return this.#options.clock.monotonic();
  }
}

/** How servers say that they do not know streams of initial events. */
const cannotStream: readonly number[] = [400, 405, 415, 422, 501];

/** Says nothing about streams: pages would have failed likewise. */
function isPassing(error: unknown): boolean {
  if (!(error instanceof ApiError)) return false;
  return error.code === 'unreachable' || [401, 403, 404, 429, 503].includes(error.status ?? 0);
}
