/** What a fault is done to, and what it is once it has begun. */

import type { FaultKind } from './fault-kinds.ts';
import type { PlannedFault } from './fault-plan.ts';
import type { SimulatedNode } from './simulated-node.ts';
import type { Simulation } from './simulation.ts';
import type { Weather } from './weather.ts';

export interface FaultWorld {
  readonly simulation: Simulation;
  readonly weather: Weather;
  readonly excluded: Set<SimulatedNode>;
  readonly unreadable: Set<SimulatedNode>;
  /** Whether enough others could serve if these could not. */
  readonly canSpare: (...nodes: readonly SimulatedNode[]) => boolean;
  /** Whether a fault of the kind lasts, of this node if one is given. */
  readonly isActive: (kind: FaultKind, node?: SimulatedNode) => boolean;
  /** Once; while the fault lasts, and after. */
  readonly after: (ms: number, callback: () => void) => void;
}

export interface Begun {
  /** Who or what it happens to, for people. */
  readonly what: string;
  readonly nodes: readonly SimulatedNode[];
  readonly end: () => void;
}

export type Action = (
  world: FaultWorld,
  node: SimulatedNode,
  fault: PlannedFault,
) => Begun | undefined;
