import type { LoadBalancer } from '../../model/load-balancer.ts';
import type { Fate } from './fate.ts';
import type { Place } from './place.ts';

/** A Service, what becomes of it, and what it holds, each address once. */
export interface Claimant {
  readonly service: LoadBalancer;
  readonly fate: Fate;
  readonly held: readonly Place[];
  /** Its right to what it holds: lower goes first. */
  readonly rank: number;
}
