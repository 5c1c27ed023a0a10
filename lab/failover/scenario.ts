/** What is done to a cluster while clients talk to it, and what may come of it. */

import type { Ip } from '../../src/model/ip.ts';
import type { FailoverWorld } from './failover-world.ts';

export interface Trial {
  readonly world: FailoverWorld;
  /** One of those that are measured; all of them have the same holder. */
  readonly ip: Ip;
}

export interface Scenario {
  readonly name: string;
  /** Before the clients start: makes everything ready for it. */
  readonly stage: (trial: Trial) => Staged | Promise<Staged>;
  /** How long the clients go on after it; shorter where addresses have moved, and nothing changes any more. */
  readonly settlesMs: number;
  readonly limits: Limits;
  /** Takes long: fewer runs will do. */
  readonly isSlow?: boolean;
  /** About so long one run takes, with what it takes to make it ready. */
  readonly seconds?: number;
  /** A program that it needs beside what every scenario does. */
  readonly needs?: string;
}

export interface Staged {
  readonly act: () => Promise<void>;
  /** After the clients have stopped. */
  readonly heal?: () => Promise<void>;
}

/** What a scenario promises. Connections through an address that moves are reset; all others live on. */
export interface Limits {
  readonly outageMs: number;
  readonly lost?: number;
  readonly moves: number;
  /** It is to move at all. */
  readonly leastMoves?: number;
  readonly twoHoldersMs: number;
  readonly spreadMs?: number;
  /** Of ten connections; without it as many as there are. */
  readonly broken?: number;
}

/** How long things last, and how many there are of them. */
export interface Scale {
  /** Services of both families, with the one that is measured. */
  readonly services: number;
  readonly rebalanced: number;
  readonly frozenS: number;
  readonly apiAwayS: number;
  readonly apiFaultS: number;
  readonly skewedS: number;
}

/** Nothing is lost, and nothing moves. */
export const nothing: Limits = { outageMs: 0, lost: 0, moves: 0, twoHoldersMs: 0, broken: 0 };
export const failover: Limits = { outageMs: 1000, moves: 1, leastMoves: 1, twoHoldersMs: 1000 };
export const planned: Limits = {
  outageMs: 0,
  lost: 0,
  moves: 1,
  leastMoves: 1,
  twoHoldersMs: 1000,
};
/** A node that is cut off keeps what it has until it is back: a second holder that nobody can reach. */
export const unreachable = { twoHoldersMs: 10_000, leastMoves: 0 };
