/** Whom a node asks whether it lives, and what is known of it so far. */

import type { Watch } from '../decide/failover/assign-watches.ts';
import type { HolderAnswer } from '../decide/failover/watch-holder.ts';
import {
  forgetOthers,
  isUnwatchable,
  suspectAddress,
  type WatchState,
} from '../decide/failover/watch-state.ts';
import type { FailoverTimings } from '../model/agent-config.ts';
import type { Family, Ip } from '../model/ip.ts';
import type { EthernetLink } from '../model/link.ts';

/** Whom to watch from now on. */
export interface WatchRound {
  readonly watches: readonly Watch[];
  readonly links: readonly WatchedLink[];
  readonly timings: FailoverTimings;
}

export interface WatchedLink {
  readonly link: EthernetLink;
  /** This node's own addresses there. */
  readonly source: Readonly<Partial<Record<Family, Ip>>>;
}

export interface WatchTarget {
  watch: Watch;
  state: WatchState;
  /** The addresses that it is asked for. */
  interest: ReadonlySet<Ip>;
  /** Since the last step, by `answerKey`. */
  readonly answers: Map<string, HolderAnswer>;
  wakeAt: number;
  /** Last, before it fell silent. */
  heardAt: number;
  /** When it was last looked at because someone doubted it. */
  suspectedAt?: number;
  /** Watched only since someone said that it lost an address: until then, whoever is to watch it. */
  hintedUntil?: number;
}

/** Those that hold nothing are asked less often: nobody waits for them, they may only have watched someone who died. */
export function timingsFor({ ips }: Watch, timings: FailoverTimings): FailoverTimings {
  if (ips.length > 0) return timings;
  return { ...timings, probeIntervalMs: timings.probeIntervalMs * idleTimes };
}

const idleTimes = 3;

export function changeWatch(target: WatchTarget, watch: Watch): void {
  const isSame = JSON.stringify(target.watch) === JSON.stringify(watch);
  if (isSame) return;
  target.watch = watch;
  target.interest = interestOf(watch);
  target.state = forgetOthers(target.state, watch);
}

export function interestOf({ ips, nodeIps }: Watch): ReadonlySet<Ip> {
  return new Set([...ips, ...nodeIps]);
}

/** The latest of its kind: whoever speaks with the MAC of a member may do so thousands of times between two steps. */
export function noteHolderAnswer({ answers, interest }: WatchTarget, answer: HolderAnswer): void {
  answers.set(answerKey(answer, interest), answer);
}

/** What it says of other addresses shows only that it lives. */
function answerKey({ ip, by, isUnasked = false }: HolderAnswer, interest: ReadonlySet<Ip>): string {
  return `${by} ${isUnasked} ${interest.has(ip) ? ip : 'other'}`;
}

/** Nobody waits for what it says next. */
export function isCalm({ phase, misses, isDoubted }: WatchState): boolean {
  return (phase.kind === 'watching' && misses === 0 && !isDoubted) || phase.kind === 'silent';
}

export function keyOf({ holder, link }: Watch): string {
  return `${holder} ${link}`;
}

/**
 * One that is silent is asked on, though it holds nothing any more: whether it is back decides whether it may. What was
 * found of an address that it lost is known for as long as it takes another to have it.
 */
export function remainder(
  { watch, state, hintedUntil = -Infinity }: WatchTarget,
  now: number,
): Watch | undefined {
  const { kind } = state.phase;
  const isOpen = kind === 'silent' || kind === 'hinted' || kind === 'confirming';
  return isOpen || now < hintedUntil ? watch : undefined;
}

/** A holder that is watched, as `agent state` shows it. */
export interface WatchedHolder {
  readonly holder: string;
  readonly link: string;
  readonly state: WatchState['phase']['kind'] | 'unwatchable';
  readonly addresses: number;
  readonly orphans: readonly Ip[];
}

export function describeTarget({ watch, state }: WatchTarget): WatchedHolder {
  return {
    holder: watch.holder,
    link: watch.link,
    state: isUnwatchable(state) ? 'unwatchable' : state.phase.kind,
    addresses: watch.ips.length,
    orphans: [...state.orphans],
  };
}

/** Far longer than the next in rank takes to have it. */
export const hintLifeMs = 5_000;

/** Whoever held nothing so far was asked rarely, and would take long to be missed. */
export function lookCloser(target: WatchTarget, now: number): void {
  const { watch, state, suspectedAt = -Infinity } = target;
  const own = watch.nodeIps.find((ip) => isIntact(state, ip));
  if (own === undefined || now - suspectedAt < suspectEveryMs) return;
  target.state = suspectAddress(state, own);
  target.wakeAt = -Infinity;
  target.suspectedAt = now;
}

/** It may be said over and over. */
const suspectEveryMs = 500;

/** As far as is known; and nothing is being looked into. */
export function isIntact({ phase, known, orphans }: WatchState, ip: Ip): boolean {
  return phase.kind === 'watching' && known.has(ip) && !orphans.has(ip);
}

/** By the link on which they do not answer. */
export function findSilent(
  targets: readonly WatchTarget[],
): ReadonlyMap<string, ReadonlySet<string>> {
  const found = targets.filter(({ state }) => state.phase.kind === 'silent');
  return gather(found.map(({ watch }) => [watch.link, watch.holder]));
}

/** Addresses that their holder does not answer for, though it lives. */
export function findOrphans(targets: readonly WatchTarget[]): ReadonlyMap<Ip, ReadonlySet<string>> {
  return gather(
    targets.flatMap(({ watch, state }) =>
      [...state.orphans].map((ip) => [ip, watch.holder] as const),
    ),
  );
}

/** To tell one state from another; empty, as it nearly always is, where all is well. */
export function describeTroubles(targets: readonly WatchTarget[]): string {
  const troubled = targets.filter(({ state: { phase, orphans } }) => {
    return phase.kind === 'silent' || orphans.size > 0;
  });
  if (troubled.length === 0) return '';
  return JSON.stringify([
    [...findSilent(troubled)].map(([link, nodes]) => [link, ...nodes]),
    [...findOrphans(troubled)].map(([ip, nodes]) => [ip, ...nodes]),
  ]);
}

function gather<K, V>(pairs: readonly (readonly [K, V])[]): ReadonlyMap<K, ReadonlySet<V>> {
  const found = new Map<K, Set<V>>();
  for (const [key, value] of pairs) {
    const values = found.get(key) ?? new Set();
    found.set(key, values.add(value));
  }
  return found;
}
