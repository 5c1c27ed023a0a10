/** Planned moves between two passes: what is under way, what moved too often, what of it the Lease says. */

import type { AddressDecision } from '../decide/announcement/address-decision.ts';
import type { HandoverMemory, HandoverView } from '../decide/failover/handover-view.ts';
import { findDamped, type MoveRecord, noteMoves } from '../decide/failover/move-damping.ts';
import type { FailoverTimings } from '../model/agent-config.ts';
import { encodeHanding } from '../model/handing.ts';
import type { Ip } from '../model/ip.ts';
import type { LoadBalancer } from '../model/load-balancer.ts';
import { type MoveCause, moveCauses, type PlacementReason } from '../model/placement-reasons.ts';
import type { Log } from '../runtime/log.ts';
import type { AgentMetrics, HandoverOutcome } from './agent-metrics.ts';

const usualDamping = { moves: 3, windowMs: 180_000, holdMs: 180_000 };

type MoveFacts = readonly [
  loadBalancers: readonly LoadBalancer[],
  timings: FailoverTimings | undefined,
  now: number,
];

export class Moves {
  readonly #log: Log;
  readonly #metrics: AgentMetrics;
  #memory: HandoverMemory = new Map();
  #history = new Map<Ip, MoveRecord>();

  constructor({ log, metrics }: { readonly log: Log; readonly metrics: AgentMetrics }) {
    this.#log = log;
    this.#metrics = metrics;
  }

  /** `purelb.io/handing`. */
  get handing(): string {
    return encodeHanding(
      [...this.#memory].flatMap(([ip, handover]) => {
        const isNamed = handover.role === 'holder' && handover.to !== undefined;
        return isNamed ? [{ ip, node: handover.to }] : [];
      }),
    );
  }

  view(...facts: MoveFacts): Pick<HandoverView, 'memory' | 'damped'> {
    const noted = this.#noteMoves(...facts);
    this.#history = noted.history;
    return { memory: this.#memory, damped: noted.damped };
  }

  /** The same for some Services: what is known of the addresses of others stays. */
  viewSome(...facts: MoveFacts): Pick<HandoverView, 'memory' | 'damped'> {
    const noted = this.#noteMoves(...facts);
    for (const [ip, record] of noted.history) this.#history.set(ip, record);
    return { memory: this.#memory, damped: noted.damped };
  }

  #noteMoves(...[loadBalancers, timings, now]: MoveFacts) {
    const damping = timings?.damping ?? usualDamping;
    const slots = loadBalancers.flatMap(({ grant }) => grant.slots);
    const history = noteMoves(slots, this.#history, damping, now);
    return { history, damped: findDamped(history, damping, now) };
  }

  /** Whether the address is part of a planned move that this node takes part in, or did just now. */
  isMoving(ip: Ip): boolean {
    return this.#memory.has(ip);
  }

  note(decisions: readonly AddressDecision[]): void {
    const next = decisions.flatMap(({ ip, handover }) =>
      handover === undefined ? [] : [[ip, handover] as const],
    );
    const previous = this.#memory;
    this.#memory = new Map(next);
    for (const decision of decisions) this.#tell(decision, previous.get(decision.ip));
  }

  /** One line and one count for each successor that was named, however it ended. */
  #tell({ ip, reason, handover }: AddressDecision, before: AddressDecision['handover']): void {
    const now = handover?.role === 'holder' ? handover : undefined;
    const was = before?.role === 'holder' ? before : undefined;
    if (now?.to !== undefined && now.to !== was?.to) {
      const { to, cause } = now;
      this.#log.info('Handing over', { op: 'handOver', ip, to, cause, why: moveCauses[cause] });
    }
    if (was?.to === undefined || was.to === now?.to) return;
    this.#tellEnd(ip, was.to, was.cause, outcomeOf(reason, now?.failed.has(was.to) === true));
  }

  #tellEnd(ip: Ip, to: string, cause: MoveCause, outcome: HandoverOutcome): void {
    this.#metrics.countHandover(cause, outcome);
    const fields = { op: 'handOver', ip, to, cause, outcome };
    if (outcome === 'refused') this.#log.warn('Handover ended', fields);
    else this.#log.info('Handover ended', fields);
  }
}

function outcomeOf(reason: PlacementReason, hasFailed: boolean): HandoverOutcome {
  if (reason === 'handedOver') return 'completed';
  return hasFailed ? 'refused' : 'cancelled';
}
