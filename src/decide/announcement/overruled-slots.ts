/**
 * Slots that another member wrote over while this node holds the address: after a partition, both hold it, and each
 * would write over the other for ever. Who was overruled leaves the slot alone for a while; so it names one of the two
 * for long enough that the other can hear it answer, and yield.
 */

import type { Ip } from '../../model/ip.ts';
import type { LoadBalancer } from '../../model/load-balancer.ts';
import type { AddressDecision } from './address-decision.ts';

export interface OverrulingFacts {
  readonly node: string;
  readonly loadBalancers: readonly LoadBalancer[];
  readonly decisions: readonly AddressDecision[];
  /** Whether this node has the address in its kernel. */
  readonly holds: (decision: AddressDecision) => boolean;
  /** In ms on the monotonic clock. */
  readonly now: number;
}

/** Of addresses that this node holds. */
export type SlotHistory = ReadonlyMap<Ip, SlotRecord>;

interface SlotRecord {
  /** The slot has named this node while it held the address. */
  readonly wasMine: boolean;
  /** Since when it names another. */
  readonly othersSince: number | undefined;
}

export interface Overruling {
  /** Addresses whose slot is left to the other. */
  readonly overruled: ReadonlySet<Ip>;
  /** To be given back next time. */
  readonly history: SlotHistory;
  readonly wakeAt: number;
}

/** Long after whoever wrote the slot either answers or is known to be silent. */
const patienceMs = 15_000;

export function findOverruled(facts: OverrulingFacts, previous: SlotHistory): Overruling {
  const { node, decisions, holds, now } = facts;
  const named = namesInSlots(facts.loadBalancers);
  const history = new Map<Ip, SlotRecord>();
  const ends = new Map<Ip, number>();
  for (const decision of decisions.filter(holds)) {
    const { ip } = decision;
    const other = named.get(ip);
    const before = previous.get(ip);
    const isMine = other === node;
    const wasMine = isMine || before?.wasMine === true;
    const othersSince = isMine || other === undefined ? undefined : (before?.othersSince ?? now);
    history.set(ip, { wasMine, othersSince });
    const end = (othersSince ?? -Infinity) + patienceMs;
    if (wasMine && now < end && isMember(other, decision)) ends.set(ip, end);
  }
  return {
    overruled: new Set(ends.keys()),
    history,
    wakeAt: Math.min(...ends.values()),
  };
}

function namesInSlots(loadBalancers: readonly LoadBalancer[]): ReadonlyMap<Ip, string> {
  const slots = loadBalancers.flatMap(({ grant }) => grant.slots);
  return new Map(slots.map(({ ip, node }) => [ip, node]));
}

/** Silent or not: who writes slots lives, and may be silent to this node only, as this node may be to it. */
function isMember(node: string | undefined, { election }: AddressDecision): boolean {
  const candidate = election?.candidates.find((each) => each.node === node);
  return candidate?.verdict === 'eligible' || candidate?.verdict === 'silent';
}
