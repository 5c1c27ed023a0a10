import type { AllocationState, Quarantine } from './allocation-state.ts';
import type { ConflictMoves } from './conflict-moves.ts';
import type { Obstacle } from './obstacle.ts';
import type { Occupancy } from './occupancy.ts';
import type { Place } from './place.ts';
import type { RangeHomes } from './range-homes.ts';

/** One run of the allocator: what it knows, and what it has given out so far. */
export interface Round {
  readonly state: AllocationState;
  /** As it was written down, by pool. */
  readonly quarantine: Quarantine;
  readonly occupancy: Occupancy;
  readonly homes: RangeHomes;
  /** What becomes of addresses that someone else on the network uses. */
  readonly conflicts: ConflictMoves;
}

/** What a Service gets beside what it keeps, and why it gets no more. Nothing of it is taken yet. */
export interface Filling {
  readonly additions: readonly Place[];
  readonly missing: readonly Obstacle[];
}
