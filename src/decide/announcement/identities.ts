/** Whose MAC is it: this node's, another member's, or a stranger's. Nothing but the members' Leases decides that. */

import type { Mac } from '../../model/mac.ts';
import type { Member, MemberLink } from '../../model/member.ts';

export type Identities = ReadonlyMap<Mac, string>;

/** This node's own links count as they are now; a MAC that several claim is this node's, else the first's by name. */
export function collectIdentities(
  me: string,
  myLinks: readonly MemberLink[],
  members: readonly Member[],
): Identities {
  const sorted = members.toSorted((left, right) => (left.node > right.node ? -1 : 1));
  const own = members.filter(({ node }) => node === me).flatMap(({ links }) => links);
  return new Map([
    ...sorted.flatMap(({ node, links }) => entriesOf(node, links)),
    ...entriesOf(me, [...own, ...myLinks]),
  ]);
}

/** Whose each MAC was, and when that was last said; in ms on the monotonic clock. */
export type Acquaintances = ReadonlyMap<Mac, { readonly node: string; readonly at: number }>;

const acquaintanceMs = 3_600_000;

/**
 * A member whose link went down, or that lost its route, says nothing of that link any more, and one that is being
 * removed has no Lease: its card is no stranger's for that.
 */
export function remember(
  current: Identities,
  known: Acquaintances | undefined,
  now: number,
): Acquaintances {
  const recent = [...(known ?? [])].filter(([, { at }]) => now - at < acquaintanceMs);
  const seen = [...current].map(([mac, node]) => [mac, { node, at: now }] as const);
  return new Map([...recent, ...seen]);
}

export function identitiesOf(known: Acquaintances): Identities {
  return new Map([...known].map(([mac, { node }]) => [mac, node]));
}

/** Every MAC that may answer for a node. */
export function macsOf(identities: Identities, node: string): readonly Mac[] {
  return [...identities].filter(([, owner]) => owner === node).map(([mac]) => mac);
}

function entriesOf(node: string, links: readonly MemberLink[]): readonly [Mac, string][] {
  return links.flatMap(({ macs }) => macs.map((mac): [Mac, string] => [mac, node]));
}
