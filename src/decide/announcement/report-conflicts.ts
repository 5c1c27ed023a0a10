/** What this node's Lease says of addresses that a host outside the cluster has. The allocator gives others instead. */

import type { Conflict } from '../../model/conflict.ts';
import type { Ip } from '../../model/ip.ts';
import type { Mac } from '../../model/mac.ts';
import type { AddressDecision } from './address-decision.ts';

export interface ConflictFacts {
  readonly node: string;
  readonly decisions: readonly Pick<AddressDecision, 'ip' | 'reason'>[];
  /** Addresses that no Service has, and that a host answered for when this node looked in advance. */
  readonly inAdvance?: ReadonlySet<Ip>;
  /** As this node saw it; times in ms on the monotonic clock. */
  readonly conflicts: ReadonlyMap<Ip, { readonly mac: Mac | undefined; readonly at: number }>;
  readonly now: number;
  readonly wallNow: number;
}

/** Two clocks tell the same moment only to about so much. */
const toleranceMs = 2000;

/**
 * Before first use only: a stranger that turns up while the address is held, here or by another member, is told to
 * people, but the address is ours. `before`: what was reported last; what has not changed is reported with the same time.
 */
export function reportConflicts(
  facts: ConflictFacts,
  before: readonly Conflict[],
): readonly Conflict[] {
  if (facts.conflicts.size === 0) return [];
  const inUse = facts.decisions.filter(({ reason }) => reason === 'addressConflict');
  const ips = new Set([...inUse.map(({ ip }) => ip), ...(facts.inAdvance ?? [])]);
  return [...ips]
    .flatMap((ip) => findConflict(ip, facts) ?? [])
    .map((seen) => before.find((known) => isSame(known, seen)) ?? seen);
}

function findConflict(ip: Ip, { conflicts, node, now, wallNow }: ConflictFacts) {
  const seen = conflicts.get(ip);
  if (seen?.mac === undefined) return undefined;
  return { ip, mac: seen.mac, node, seenAt: wallNow - (now - seen.at) };
}

function isSame(left: Conflict, right: Conflict): boolean {
  return (
    left.ip === right.ip &&
    left.mac === right.mac &&
    Math.abs(left.seenAt - right.seenAt) < toleranceMs
  );
}
