/** `purelb.io/conflict`: addresses that someone outside the cluster has. The allocator gives others in their place. */

import type { Conflict } from '../../model/conflict.ts';
import type { Ip } from '../../model/ip.ts';
import type { LoadBalancer } from '../../model/load-balancer.ts';
import type { Mac } from '../../model/mac.ts';
import type { AddressDecision } from './address-decision.ts';

export interface ConflictFacts {
  readonly node: string;
  readonly decisions: readonly Pick<AddressDecision, 'ip' | 'reason'>[];
  /** What the kernel has now, by `addressKey`. */
  readonly held: ReadonlySet<string>;
  /** As this node saw it; times in ms on the monotonic clock. */
  readonly conflicts: ReadonlyMap<Ip, { readonly mac: Mac | undefined; readonly at: number }>;
  readonly now: number;
  readonly wallNow: number;
}

/** Two clocks tell the same moment only to about so much. */
const toleranceMs = 2000;

/**
 * Before it is used only: a stranger that turns up while the address is held, here or by another member, is reported, but
 * the address is ours. A mark goes when the Service no longer has the address, or this node holds it after all.
 */
export function markConflicts({ grant }: LoadBalancer, facts: ConflictFacts): readonly Conflict[] {
  const kept = grant.conflicts.filter(({ ip }) => grant.ingress.includes(ip) && !isHeld(ip, facts));
  const seen = grant.ingress.flatMap((ip) => findConflict(ip, facts) ?? []);
  return [
    ...kept.map((mark) => seen.find((one) => one.ip === mark.ip && !isSame(mark, one)) ?? mark),
    ...seen.filter(({ ip }) => !kept.some((mark) => mark.ip === ip)),
  ];
}

function findConflict(ip: Ip, facts: ConflictFacts): Conflict | undefined {
  const seen = facts.conflicts.get(ip);
  if (seen?.mac === undefined || !isKeptBack(ip, facts)) return undefined;
  const seenAt = facts.wallNow - (facts.now - seen.at);
  return { ip, mac: seen.mac, node: facts.node, seenAt };
}

function isSame(left: Conflict, right: Conflict): boolean {
  return (
    left.mac === right.mac &&
    left.node === right.node &&
    Math.abs(left.seenAt - right.seenAt) < toleranceMs
  );
}

/** It would be on this node, if it were not for the stranger. Who does not hold it for another reason leaves marks alone. */
function isKeptBack(ip: Ip, { decisions }: ConflictFacts): boolean {
  return decisions.some((each) => each.ip === ip && each.reason === 'addressConflict');
}

function isHeld(ip: Ip, { held }: ConflictFacts): boolean {
  return [...held].some((key) => key.startsWith(`${ip}/`));
}
