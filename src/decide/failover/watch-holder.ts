/**
 * Whether a holder lives, by asking it over and over: questions go to its MAC alone, since with ARP suppression the
 * network answers for the dead and not for the living. Some misses in a row lead to a closer look, at the address and at
 * the node's own: what is silent then, while others are heard, is dead.
 */

import type { FailoverTimings } from '../../model/agent-config.ts';
import type { Ip } from '../../model/ip.ts';
import type { Watch } from './assign-watches.ts';
import type { Phase, Question, WatchState } from './watch-state.ts';

export interface HolderAnswer extends Question {
  readonly at: number;
  /** It lives, and says so by itself: that tells nothing of what it answers to. */
  readonly isUnasked?: boolean;
}

export interface WatchInput {
  readonly watch: Watch;
  /** From the holder's MACs, since the last call; the socket was drained before. */
  readonly answers: readonly HolderAnswer[];
  /** When the latest question to anyone else on the link was sent that got its answer. */
  readonly othersAskedAt: number;
  /** Frames were lost, or could not be sent: silence proves nothing. */
  readonly isDeaf: boolean;
  readonly timings: Pick<FailoverTimings, 'probeIntervalMs' | 'misses' | 'confirmMs'>;
  readonly now: number;
}

export interface WatchStep {
  readonly state: WatchState;
  readonly asks: readonly Question[];
  /** The beacons are to be asked too: silence may be this node's own. */
  readonly asksBeacons: boolean;
  readonly wakeAt: number;
  /** Nobody answers this node at all: it is the one that is cut off. */
  readonly isCutOff?: true;
}

export function watchHolder(before: WatchState, input: WatchInput): WatchStep {
  const heard = hear(before, input);
  return input.isDeaf ? askNext(forgive(heard), input) : decide(heard, input);
}

function hear(state: WatchState, { answers }: WatchInput): WatchState {
  if (answers.length === 0) return state;
  const known = learn(state.known, answers);
  const isAnswered = (ip: Ip, at: number) => answers.some((one) => one.ip === ip && one.at >= at);
  const ips = new Set(answers.map(({ ip }) => ip));
  const isBack = state.phase.kind === 'silent';
  const isFocus = state.focus !== undefined && ips.has(state.focus);
  return {
    ...state,
    known,
    orphans: state.orphans.size === 0 ? state.orphans : without(state.orphans, ips),
    open: new Map([...state.open].filter(([ip, at]) => !isAnswered(ip, at))),
    misses: isBack || isFocus ? 0 : state.misses,
    isDoubted: state.isDoubted && !isBack && !isFocus,
    phase: isBack ? { kind: 'watching' } : state.phase,
  };
}

/** Nearly always there is nothing new: nothing is copied then, however many addresses there are. */
function learn(known: WatchState['known'], answers: readonly HolderAnswer[]): WatchState['known'] {
  const news = answers.filter(({ ip, by, isUnasked = false }) => {
    const before = known.get(ip);
    return !isUnasked && (before === undefined || (before === 'probe' && by === 'echo'));
  });
  if (news.length === 0) return known;
  // Who answers both ways is asked by echo.
  const { echo = [], probe = [] } = Object.groupBy(news, ({ by }) => by);
  return new Map([...known, ...[...probe, ...echo].map(({ ip, by }) => [ip, by] as const)]);
}

function without(ips: ReadonlySet<Ip>, gone: ReadonlySet<Ip>): ReadonlySet<Ip> {
  return new Set([...ips].filter((ip) => !gone.has(ip)));
}

/** What was not heard may have been said. */
function forgive(state: WatchState): WatchState {
  return state.phase.kind === 'silent' ? { ...state, open: new Map() } : watchOn(state);
}

function watchOn(state: WatchState): WatchState {
  return { ...state, phase: { kind: 'watching' }, open: new Map(), misses: 0, isDoubted: false };
}

function decide(state: WatchState, input: WatchInput): WatchStep {
  const { phase } = state;
  switch (phase.kind) {
    case 'watching':
      return countMisses(state, input);
    case 'hinted':
      return askCloser(state, input);
    case 'confirming':
      return isOver(phase, input) ? confirm(state, phase, input) : wait(state, phase, input);
    case 'counting':
      return isOver(phase, input) ? count(state, phase, input) : wait(state, phase, input);
    case 'silent':
      return askNext({ ...state, open: new Map() }, input);
    default:
      return phase satisfies never;
  }
}

interface Timed {
  readonly since: number;
}

function isOver({ since }: Timed, { now, timings }: WatchInput): boolean {
  // As `wait` says it, to the last bit: otherwise it may be time to look and not over yet, for ever.
  return now >= since + timings.confirmMs;
}

function wait(state: WatchState, { since }: Timed, { timings }: WatchInput): WatchStep {
  return { state, asks: [], asksBeacons: false, wakeAt: since + timings.confirmMs };
}

function countMisses(state: WatchState, input: WatchInput): WatchStep {
  const { now, timings } = input;
  const due = [...state.open].filter(([, at]) => now >= at + timings.probeIntervalMs);
  const open = new Map([...state.open].filter(([, at]) => now < at + timings.probeIntervalMs));
  if (due.length === 0) return askNext({ ...state, open }, input);
  // One that never answered proves nothing by its silence; and a node with many new ones must not hide behind them.
  const isProof = due.some(([ip]) => state.known.has(ip));
  if (!isProof) return askNext(doubt({ ...state, open }, input), input);
  const misses = state.misses + (state.isDoubted ? 2 : 1);
  const counted = { ...state, open, misses, isDoubted: false };
  return counted.misses < timings.misses ? askNext(counted, input) : askCloser(counted, input);
}

function doubt(state: WatchState, { watch }: WatchInput): WatchState {
  const focus = [...watch.nodeIps, ...watch.ips].find((ip) => state.known.has(ip));
  return focus === undefined ? state : { ...state, focus, isDoubted: true };
}

/** The address, the node itself, and another address: whoever of them answers, the node lives. */
function askCloser(state: WatchState, input: WatchInput): WatchStep {
  const { watch, now } = input;
  const focus = state.focus === undefined ? [] : [state.focus];
  const another = watch.ips.filter((ip) => state.known.has(ip) && ip !== state.focus).slice(0, 1);
  const asked = [...new Set([...focus, ...watch.nodeIps, ...another])];
  return askThese(state, asked, { kind: 'confirming', since: now, asked }, input);
}

function confirm(
  state: WatchState,
  { asked, since }: Phase & { readonly kind: 'confirming' },
  input: WatchInput,
): WatchStep {
  const { open, focus } = state;
  const { watch, now, othersAskedAt } = input;
  if (focus === undefined || !open.has(focus)) return askNext(watchOn(state), input);
  if (asked.some((ip) => !open.has(ip))) return askForAll(state, watch.ips, false, input);
  // Nobody else answers either what was asked at the same time: this node is the one that is cut off, and judges nobody.
  if (othersAskedAt < since) return { ...askCloser(state, input), isCutOff: true };
  return askNext({ ...state, open: new Map(), phase: { kind: 'silent', since: now } }, input);
}

function askForAll(
  state: WatchState,
  ips: readonly Ip[],
  isSecond: boolean,
  input: WatchInput,
): WatchStep {
  const asked = [...new Set([...ips, ...input.watch.nodeIps])];
  return askThese(state, asked, { kind: 'counting', since: input.now, isSecond }, input);
}

function count(
  state: WatchState,
  { isSecond, since }: Phase & { readonly kind: 'counting' },
  input: WatchInput,
): WatchStep {
  const isMissed = (ip: Ip) => state.open.has(ip) && state.known.has(ip);
  const { nodeIps, ips } = input.watch;
  // Meanwhile the node died, or this one was cut off: then nothing is known of its addresses.
  const own = nodeIps.filter((ip) => state.known.has(ip));
  const isGone = own.length > 0 && own.every(isMissed);
  if (isGone || input.othersAskedAt < since) return askCloser(state, input);
  const silent = ips.filter(isMissed);
  if (silent.length > 0 && !isSecond) return askForAll(state, silent, true, input);
  return askNext({ ...watchOn(state), orphans: new Set([...state.orphans, ...silent]) }, input);
}

function askThese(
  state: WatchState,
  ips: readonly Ip[],
  phase: Phase,
  { now, timings }: WatchInput,
): WatchStep {
  return {
    state: { ...state, phase, open: new Map(ips.map((ip) => [ip, now])), lastAskedAt: now },
    asks: ips.map((ip) => question(ip, state)),
    asksBeacons: true,
    wakeAt: now + timings.confirmMs,
  };
}

/** One address at a time, whatever their number; one that was missed is asked again before the round goes on. */
function askNext(state: WatchState, { watch, now, timings }: WatchInput): WatchStep {
  const dueAt = state.lastAskedAt + timings.probeIntervalMs;
  if (now < dueAt) return { state, asks: [], asksBeacons: false, wakeAt: dueAt };
  const { turn } = state;
  const length = watch.ips.length + 1;
  const isMissed = (state.misses > 0 || state.isDoubted) && state.focus !== undefined;
  const focus = isMissed ? state.focus : pickNext(watch, turn, state.orphans);
  const wakeAt = now + timings.probeIntervalMs;
  if (focus === undefined) return { state, asks: [], asksBeacons: false, wakeAt };
  const open = new Map([...state.open, [focus, now] as const]);
  const rounds = Math.floor(turn / length);
  return {
    state: { ...state, turn: turn + 1, focus, open, lastAskedAt: now },
    asks: askedInTurn(focus, state, rounds),
    asksBeacons: state.misses > 0,
    wakeAt,
  };
}

/** In turn the node's own address and each of the others; the node's own where one is known to be lost. */
function pickNext({ nodeIps, ips }: Watch, turn: number, orphans: ReadonlySet<Ip>): Ip | undefined {
  const [own] = nodeIps;
  const ip = ips[(turn % (ips.length + 1)) - 1];
  return ip === undefined || orphans.has(ip) ? (own ?? ip) : ip;
}

/**
 * One that never answered is asked by echo, and every other time both ways: who was asked before it had the address
 * answers both, and is watched without ARP from then on, and not after some rounds, which are long where there are many
 * addresses. One that answered ARP alone is asked both ways now and then, since its firewall may have changed.
 */
function askedInTurn(ip: Ip, state: WatchState, rounds: number): readonly Question[] {
  const before = state.known.get(ip);
  const echo: Question = { ip, by: 'echo' };
  const probe: Question = { ip, by: 'probe' };
  if (before === 'probe') return rounds % 4 === 0 ? [probe, echo] : [probe];
  return before === undefined && rounds % 2 === 1 ? [echo, probe] : [echo];
}

/** As it answered before. */
function question(ip: Ip, { known }: WatchState): Question {
  return { ip, by: known.get(ip) ?? 'echo' };
}
