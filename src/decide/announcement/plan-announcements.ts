/**
 * Which addresses to announce to the neighbours now, and when to look again. Repeats follow from when an address was
 * taken, so that there is no timer to keep or to cancel: what is no longer held is simply not in the list.
 */

import type { Announcements } from '../../model/agent-config.ts';
import { compareIps, familyOf, type Ip } from '../../model/ip.ts';

/** An address that is on a link of this node, and rightly so. Times are ms on the monotonic clock. */
export interface Holding {
  readonly ip: Ip;
  readonly link: string;
  /** Undefined: this agent found it there; the neighbours know. */
  readonly takenAt: number | undefined;
}

export interface AnnouncementOrder {
  readonly holdings: readonly Holding[];
  readonly announcements: Announcements;
  /** Undefined: as many as there are. */
  readonly maxFramesPerSecond: number | undefined;
  readonly now: number;
}

/** What has been sent; to be given back next time. */
export interface AnnouncementState {
  readonly progress: ReadonlyMap<string, AnnouncementProgress>;
  /** Frames of the last second. */
  readonly recent: readonly Burst[];
}

export interface AnnouncementProgress {
  readonly takenAt: number | undefined;
  /** How many of the schedule are done. */
  readonly done: number;
  readonly lastAt: number;
}

interface Burst {
  readonly at: number;
  readonly frames: number;
}

export interface AnnouncementPlan {
  readonly due: readonly Holding[];
  readonly state: AnnouncementState;
  /** When each of the addresses is to be announced next; those without further announcement are not in it. */
  readonly next: ReadonlyMap<Ip, number>;
  /** `Infinity` if nothing more is to be said. */
  readonly wakeAt: number;
}

export function planAnnouncements(
  order: AnnouncementOrder,
  previous: AnnouncementState = { progress: new Map(), recent: [] },
): AnnouncementPlan {
  const { announcements, now } = order;
  if (!announcements.isEnabled)
    return { due: [], state: previous, next: new Map(), wakeAt: Infinity };
  const entries = order.holdings.map((holding) => enter(holding, previous, order));
  const recent = previous.recent.filter(({ at }) => now - at < windowMs);
  const ready = entries.filter(({ dueAt }) => dueAt <= now).sort(compareEntries);
  const due = new Set(withinLimit(ready, recent, order.maxFramesPerSecond));
  const isLimited = due.size < ready.length;
  const progressed = entries.map((entry) => (due.has(entry) ? advance(entry, order) : entry));
  const sent = sumFrames([...due]);
  const bursts = sent > 0 ? [...recent, { at: now, frames: sent }] : recent;
  const freeAt = isLimited ? (bursts[0]?.at ?? now) + windowMs : Infinity;
  const next = progressed.map(({ holding, dueAt }): [Ip, number] => {
    return [holding.ip, dueAt > now ? dueAt : freeAt];
  });
  return {
    due: [...due].map(({ holding }) => holding),
    state: {
      progress: new Map(progressed.map(({ holding, progress }) => [keyOf(holding), progress])),
      recent: bursts,
    },
    next: new Map(next.filter(([, at]) => at < Infinity)),
    wakeAt: next.reduce((least, [, at]) => Math.min(least, at), Infinity),
  };
}

const windowMs = 1000;

interface Entry {
  readonly holding: Holding;
  readonly progress: AnnouncementProgress;
  readonly dueAt: number;
}

function enter(holding: Holding, previous: AnnouncementState, order: AnnouncementOrder): Entry {
  const { takenAt } = holding;
  const known = previous.progress.get(keyOf(holding));
  const isSame = known !== undefined && known.takenAt === takenAt;
  const done = takenAt === undefined ? order.announcements.scheduleMs.length : 0;
  const progress = isSame ? known : { takenAt, done, lastAt: takenAt ?? order.now };
  return { holding, progress, dueAt: dueAtOf(progress, order) };
}

function dueAtOf(
  { takenAt = 0, done, lastAt }: AnnouncementProgress,
  { announcements }: AnnouncementOrder,
): number {
  const next = announcements.scheduleMs[done];
  return next === undefined ? lastAt + (announcements.refreshMs ?? Infinity) : takenAt + next;
}

/** What was missed in the meantime is not made up for: one announcement now says it all. */
function advance({ holding, progress }: Entry, order: AnnouncementOrder): Entry {
  const { announcements, now } = order;
  const { takenAt = 0 } = progress;
  const passed = announcements.scheduleMs.filter((offset) => takenAt + offset <= now).length;
  const moved = { ...progress, done: Math.max(progress.done, passed), lastAt: now };
  return { holding, progress: moved, dueAt: dueAtOf(moved, order) };
}

/** At least one at a time, whatever the limit: what is never announced is never found. */
function withinLimit(
  ready: readonly Entry[],
  recent: readonly Burst[],
  limit = Infinity,
): readonly Entry[] {
  let used = recent.reduce((sum, { frames }) => sum + frames, 0);
  return ready.filter(({ holding }) => {
    const frames = framesOf(holding);
    if (used > 0 && used + frames > limit) return false;
    used += frames;
    return true;
  });
}

/** First words before repeats, then by age. */
function compareEntries(left: Entry, right: Entry): number {
  return (
    left.progress.done - right.progress.done ||
    left.dueAt - right.dueAt ||
    compareIps(left.holding.ip, right.holding.ip)
  );
}

function sumFrames(entries: readonly Entry[]): number {
  return entries.reduce((sum, { holding }) => sum + framesOf(holding), 0);
}

/** A gratuitous ARP goes out as request and as reply: some hosts heed only the one, some only the other. */
function framesOf({ ip }: Holding): number {
  return familyOf(ip) === 'ipv4' ? 2 : 1;
}

function keyOf({ ip, link }: Holding): string {
  return `${ip}@${link}`;
}
