/** What is known of a holder that is watched. */

import type { Ip } from '../../model/ip.ts';
import type { Watch } from './assign-watches.ts';

/** By ICMP echo, which costs no ARP; else by ARP or neighbour solicitation. */
export type Method = 'echo' | 'probe';

export interface Question {
  readonly ip: Ip;
  readonly by: Method;
}

/** All times are ms on the monotonic clock. */
export interface WatchState {
  readonly phase: Phase;
  /** Addresses that have answered, and to what: only these can be found silent. */
  readonly known: ReadonlyMap<Ip, Method>;
  /** Asked for, not answered so far, and since when. */
  readonly open: ReadonlyMap<Ip, number>;
  /** In a row, of one address. */
  readonly misses: number;
  /** One that has never answered did not now: whether the node lives is asked at an address that has. */
  readonly isDoubted: boolean;
  readonly lastAskedAt: number;
  /** How many questions there have been in all. */
  readonly turn: number;
  /** The address that was asked for last. */
  readonly focus: Ip | undefined;
  /** Addresses that the node does not answer for, though it lives. */
  readonly orphans: ReadonlySet<Ip>;
}

export type Phase =
  | { readonly kind: 'watching' }
  /** Somebody says that it is silent: a closer look is due. */
  | { readonly kind: 'hinted' }
  /** One address was missed too often: it, the node itself and another address were asked at `since`. */
  | { readonly kind: 'confirming'; readonly since: number; readonly asked: readonly Ip[] }
  /** The node lives: all of its addresses were asked, and then those again that kept silent. */
  | { readonly kind: 'counting'; readonly since: number; readonly isSecond: boolean }
  | { readonly kind: 'silent'; readonly since: number };

export function startWatching(): WatchState {
  return {
    phase: { kind: 'watching' },
    known: new Map(),
    open: new Map(),
    misses: 0,
    isDoubted: false,
    lastAskedAt: -Infinity,
    turn: 0,
    focus: undefined,
    orphans: new Set(),
  };
}

/**
 * Someone else found it silent. It has never been asked from here; a living one answers ARP and neighbour solicitations
 * whatever its firewall says, so silence is silence.
 */
export function startSuspecting({ ips, nodeIps }: Watch): WatchState {
  const known = new Map([...ips, ...nodeIps].map((ip) => [ip, 'probe'] as const));
  return { ...startWatching(), known, focus: ips[0] ?? nodeIps[0], phase: { kind: 'hinted' } };
}

/** Someone else missed this address of it: a closer look begins there. */
export function suspectAddress(state: WatchState, ip: Ip): WatchState {
  return { ...state, focus: ip, phase: { kind: 'hinted' } };
}

/** It is watched and has not answered yet: silence alone would never show that it is dead. */
export function isStranger({ known, phase }: WatchState): boolean {
  return known.size === 0 && phase.kind === 'watching';
}

/** Nothing of it has ever answered: only its Lease tells whether it lives. */
export function isUnwatchable({ known, turn }: WatchState): boolean {
  return known.size === 0 && turn >= unansweredMost;
}

const unansweredMost = 20;

/** What it holds has changed: addresses that it holds no more are no longer of interest. */
export function forgetOthers(state: WatchState, watch: Watch): WatchState {
  const wanted = new Set([...watch.ips, ...watch.nodeIps]);
  const isWanted = ([ip]: readonly [Ip, unknown]) => wanted.has(ip);
  const isFocus = state.focus !== undefined && wanted.has(state.focus);
  return {
    ...(isFocus ? state : { ...state, focus: undefined, misses: 0, isDoubted: false }),
    known: new Map([...state.known].filter(isWanted)),
    open: new Map([...state.open].filter(isWanted)),
    orphans: new Set([...state.orphans].filter((ip) => wanted.has(ip))),
  };
}
