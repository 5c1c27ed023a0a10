/** What is done to a cluster while clients talk to it, and what may come of it. */

import type { Ip } from '../../src/model/ip.ts';
import type { FailoverWorld } from './failover-world.ts';

export interface Trial {
  readonly world: FailoverWorld;
  /** The address that is measured. */
  readonly ip: Ip;
}

export interface Scenario {
  readonly name: string;
  /** Before the clients start: makes everything ready for it. */
  readonly stage: (trial: Trial) => Staged | Promise<Staged>;
  /** How long the clients go on after it. */
  readonly settlesMs: number;
  readonly limits: Limits;
  /** Takes long: fewer runs will do. */
  readonly isSlow?: boolean;
}

export interface Staged {
  readonly act: () => Promise<void>;
  /** After the clients have stopped. */
  readonly heal?: () => Promise<void>;
}

/** What a scenario promises. */
export interface Limits {
  readonly outageMs: number;
  readonly lost?: number;
  readonly moves: number;
  /** It is to move at all. */
  readonly leastMoves?: number;
  readonly twoHoldersMs: number;
  readonly spreadMs?: number;
}

/** Nothing is lost, and nothing moves. */
export const nothing: Limits = { outageMs: 0, lost: 0, moves: 0, twoHoldersMs: 0 };
export const failover: Limits = { outageMs: 1000, moves: 1, twoHoldersMs: 1000 };
export const planned: Limits = {
  outageMs: 0,
  lost: 0,
  moves: 1,
  leastMoves: 1,
  twoHoldersMs: 2000,
};
/** A node that is cut off keeps what it has until it is back: a second holder that nobody can reach. */
export const unreachable = { twoHoldersMs: 10_000 };
