import { fitBytes } from '../model/fit-bytes.ts';
import type { EventObject, ObjectReference } from './event-object.ts';
import { microTime } from './micro-time.ts';

/** Something that happened to an object and that its owner should read. */
export interface EventWish {
  readonly regarding: ObjectReference;
  readonly type: 'Normal' | 'Warning';
  /** Why, as one word; for machines. */
  readonly reason: string;
  /** What was done or tried, as one word. */
  readonly action: string;
  /** For people. */
  readonly note: string;
  /** When it happened, in epoch ms; when it is recorded unless told otherwise. */
  readonly at?: number;
}

export interface EventReporter {
  /** Such as `purelb-allocator`. */
  readonly controller: string;
  /** Such as the pod's or the node's name. */
  readonly instance: string;
}

/** The API server's limits, in bytes. */
const longestNote = 1024;
const longestWord = 128;
/** Leaves room below 253 for what makes the name unique. */
const longestName = 220;

/** Nobody lets the server forget events sooner. */
const shortestLifeMs = 300_000;

const shortestGapMs = 30_000;
const longestGapMs = 600_000;

/** One event and its repetitions: the first is told at once, the count of the others ever more rarely. */
export class EventSeries {
  readonly wish: EventWish;
  readonly #reporter: EventReporter;
  readonly #firstAt: number;
  name: string;
  count = 1;
  isPosted = false;
  /** Attempts since it was last told. */
  tries = 0;
  /** Monotonic. */
  lastAt: number;
  /** Monotonic: not before this time is the count told again. */
  nextTellAt = Number.NEGATIVE_INFINITY;
  /** Monotonic: when the server took it. */
  #postedAt = Number.NEGATIVE_INFINITY;
  #told = 0;
  #lastWall: number;
  #gapMs = shortestGapMs;

  /** 0 ≤ `chance` < 1. */
  constructor(wish: EventWish, reporter: EventReporter, chance: number, now: EventTime) {
    this.wish = wish;
    this.#reporter = reporter;
    this.#firstAt = wish.at ?? now.wall;
    this.#lastWall = now.wall;
    this.lastAt = now.monotonic;
    this.name = nameOf(wish, this.#firstAt, chance);
  }

  get isTold(): boolean {
    return this.count === this.#told;
  }

  get namespace(): string {
    return this.wish.regarding.namespace ?? 'default';
  }

  repeat(now: EventTime): void {
    this.count += 1;
    this.lastAt = now.monotonic;
    this.#lastWall = now.wall;
  }

  /** Events live for an hour unless they are configured otherwise: one that is gone sooner went with its namespace. */
  isGoneEarly(monotonic: number): boolean {
    return monotonic - this.#postedAt < shortestLifeMs;
  }

  noteTold(count: number, monotonic: number): void {
    if (!this.isPosted) this.#postedAt = monotonic;
    this.isPosted = true;
    this.tries = 0;
    this.#told = count;
    this.nextTellAt = monotonic + this.#gapMs;
    this.#gapMs = Math.min(this.#gapMs * 2, longestGapMs);
  }

  /** The server forgets events after an hour: the next is a new one, with the count so far. */
  restart(chance: number, now: EventTime): void {
    this.isPosted = false;
    this.name = nameOf(this.wish, now.wall, chance);
  }

  toObject(): EventObject {
    const { regarding, type, reason, action, note } = this.wish;
    return {
      metadata: { namespace: this.namespace, name: this.name },
      eventTime: microTime(this.#firstAt),
      type,
      reason: fitBytes(reason, longestWord),
      action: fitBytes(action, longestWord),
      note: fitBytes(note, longestNote),
      regarding,
      reportingController: fitBytes(this.#reporter.controller, longestWord),
      reportingInstance: fitBytes(this.#reporter.instance, longestWord),
      ...(this.count > 1 ? { series: this.toSeries() } : {}),
    };
  }

  toSeries(): { readonly count: number; readonly lastObservedTime: string } {
    return { count: this.count, lastObservedTime: microTime(this.#lastWall) };
  }
}

export interface EventTime {
  readonly monotonic: number;
  readonly wall: number;
}

/** What makes two events the same. */
export function seriesKey({ regarding, type, reason, action, note }: EventWish): string {
  const { kind, namespace = '', name, uid = '' } = regarding;
  return [kind, namespace, name, uid, type, reason, action, note].join('\n');
}

/**
 * With the time in nanoseconds, as client-go names events: `kubectl describe` lists those of events.k8s.io in the order
 * of their names. Chance fills in what is finer than our clock.
 */
function nameOf({ regarding }: EventWish, wall: number, chance: number): string {
  const nanos = BigInt(Math.floor(wall)) * 1_000_000n + BigInt(Math.floor(chance * 1_000_000));
  return `${regarding.name.slice(0, longestName)}.${nanos.toString(16).padStart(16, '0')}`;
}
