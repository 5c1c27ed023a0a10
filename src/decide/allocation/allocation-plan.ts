/** What the allocator decides: one decision for each Service, and what becomes of each pool. */

import type { Condition } from '../../model/condition.ts';
import type { Family, Ip } from '../../model/ip.ts';
import type { LoadBalancer } from '../../model/load-balancer.ts';
import type { AnnounceMode, Pool, QuarantinedAddress } from '../../model/pool.ts';
import type { Prefix } from '../../model/prefix.ts';
import type { EventReason, RejectionReason } from '../../model/reasons.ts';
import type { RecordedSubnet } from '../../model/recorded-subnet.ts';
import type { SourceReport } from './allocation-state.ts';
import type { Provenance } from './choose-pool.ts';
import type { Wait } from './obstacle.ts';
import type { FinalizerPlan } from './plan-finalizers.ts';

export interface AllocationPlan {
  /** Of every Service, holders first, then oldest first. */
  readonly decisions: readonly Decision[];
  /** Those by which something changes or that wait for something, in the same order: few among ten thousand. */
  readonly undone: readonly ServiceDecision[];
  /**
   * Of every pool. Quarantine must be written before the Services' decisions are: an address that was left must not be
   * given out again by a successor who knows nothing of it.
   */
  readonly pools: readonly PoolOutcome[];
  /** By the group's key, of groups whose finalizer changes or that wait for their records to be returned. */
  readonly finalizers: ReadonlyMap<string, FinalizerPlan>;
  /** When something changes by time alone (epoch ms). */
  readonly wakeAt: number | undefined;
}

export type Decision = IgnoreDecision | ServiceDecision;

/** None of our business: never written to. */
export interface IgnoreDecision {
  readonly kind: 'ignore';
  readonly service: LoadBalancer;
  readonly why: string;
}

export interface ServiceDecision {
  /**
   * keep: the addresses stay, fewer of them at most. assign: it gets some. release: it gives up all, and all our marks
   * go. refuse: it does not get what it asks for, and keeps what it has. pending: something must be known or done first.
   */
  readonly kind: 'keep' | 'assign' | 'release' | 'refuse' | 'pending';
  readonly service: LoadBalancer;
  readonly grant: WantedGrant;
  /** Undefined when none of our conditions is to be there. */
  readonly condition: WantedCondition | undefined;
  readonly gains: readonly Ip[];
  readonly givesUp: readonly Returned[];
  /** How the pool was found, of a Service that gains addresses. */
  readonly via: Provenance | undefined;
  /** Only what was not said before. */
  readonly events: readonly PlannedEvent[];
  readonly counts: readonly Count[];
  readonly waitsFor: readonly Wait[];
  /** `spec.externalTrafficPolicy` is to be rewritten to this, before anything else is written. */
  readonly policy: 'Cluster' | undefined;
  /** Something of the Service differs from what is decided: there is something to write. */
  readonly isChange: boolean;
}

/** What is to be on the Service. */
export interface WantedGrant {
  readonly isOurs: boolean;
  readonly ingress: readonly Ip[];
  readonly pools: readonly string[];
  readonly poolType: AnnounceMode | undefined;
  readonly prefixes: readonly Prefix[];
  readonly skipsDad: boolean;
  readonly hasFinalizer: boolean;
  /** The wish for re-evaluation stays on the Service. */
  readonly wantsReEvaluation: boolean;
  /** What the agents wrote goes as well. */
  readonly isCleared: boolean;
}

export type WantedCondition = Pick<Condition, 'type' | 'status' | 'reason' | 'message'>;

/** An address given up; a source other than our own ranges has to be told. */
export interface Returned {
  readonly ip: Ip;
  readonly pool: string | undefined;
}

export interface PlannedEvent {
  readonly reason: EventReason;
  readonly message: string;
}

/** Something to count, by the name of an existing pool, or `<unknown>`, or `<none>` where the Service names none. */
export type Count =
  | { readonly what: 'rejected'; readonly pool: string; readonly reason: RejectionReason }
  | { readonly what: 'multipool' | 'multipoolPartial' | 'balanced'; readonly pool: string };

export interface PoolOutcome {
  readonly pool: Pool;
  /** Distinct addresses in use. */
  readonly allocated: Readonly<Record<Family, number>>;
  /** Undefined where the source alone knows. */
  readonly available: Readonly<Record<Family, bigint>> | undefined;
  readonly quarantine: readonly QuarantinedAddress[];
  /** What is recorded of the networks that its addresses belong to. */
  readonly subnets: readonly RecordedSubnet[];
  /** Of a pool whose addresses come from elsewhere, once it was asked. */
  readonly report: SourceReport | undefined;
}
